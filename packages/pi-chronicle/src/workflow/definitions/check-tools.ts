// Compares the tools and models that phases name with those of a session. This check runs on demand: at load time there may be no session,
// and extensions come and go.
import { type Diagnostic, didYouMean, isListed, nearest, quoted } from "@pi-chronicle/core/definition";
import { chooseModel, type Model, type ModelRoles, namedModels } from "../../persona/index.ts";
import type { Catalogue, Mention, WorkflowDefinition } from "./definition.ts";

/**
 * Warns about every name or glob in a phase's limits that matches none of `tools`, the names of all tools of the session. The step tool
 * always counts as known, because it cannot be limited.
 */
export function checkToolNames(catalogue: Pick<Catalogue, "mentions">, tools: Iterable<string>): Diagnostic[] {
	const known = new Set([...tools, "workflow_step"]);
	const folded = new Set([...known].map((tool) => tool.toLowerCase()));
	const found = new Map<string, Diagnostic>();
	const fits = new Map<string, boolean>();
	for (const { of, name, phaseId, place } of catalogue.mentions) {
		if (of !== "tool") continue;
		let fit = fits.get(name);
		if (fit === undefined) {
			fit = folded.has(name.toLowerCase()) || [...known].some((tool) => isListed([name], tool));
			fits.set(name, fit);
		}
		const where = `${place.file}:${place.line}:${place.column}`;
		if (fit || found.has(where)) continue;
		found.set(where, {
			...place,
			severity: "warning",
			code: "unknown-tool",
			message: `Phase ${quoted(phaseId)} limits ${quoted(name)}, but this session has no such tool.${didYouMean(name, known)}`,
			remedy: "Correct the name, or install the extension that provides the tool.",
		});
	}
	return [...found.values()];
}

/**
 * Warns about every entry in the blacklists of `definitions` that matches none of `tools`: it forbids nothing but calls through a gateway.
 * `misspelt`: only those that are similar to one of `tools`, because other tools may just not be installed here.
 */
export function emptyBlacklistEntries(
	catalogue: Pick<Catalogue, "mentions">,
	definitions: Iterable<WorkflowDefinition>,
	tools: readonly string[],
	which: "every entry" | "misspelt" = "every entry",
): Diagnostic[] {
	const forbidding = new Set(
		[...definitions].flatMap(({ entries }) =>
			entries.flatMap((entry) => (entry.kind === "phase" && entry.tools.kind === "blacklist" ? [entry.file] : [])),
		),
	);
	const isMeant = ({ name, place }: Mention) =>
		forbidding.has(place.file) && (which === "every entry" || nearest(name, tools) !== undefined);
	return checkToolNames({ mentions: catalogue.mentions.filter(isMeant) }, tools);
}

/** Warns about every phase whose model is not one of `models`, which are usable. `roles`: what `cheap` and `strong` stand for. */
export function checkModelNames(
	catalogue: Pick<Catalogue, "mentions">,
	models: readonly Model[],
	roles: ModelRoles,
): Diagnostic[] {
	const known = models.flatMap(({ provider, id }) => [id, `${provider}/${id}`]);
	return catalogue.mentions.flatMap(({ of, name, phaseId, place }): Diagnostic[] => {
		if (of !== "model" || !chooseModel(namedModels(name, roles), models, undefined).notice) return [];
		return [
			{
				...place,
				severity: "warning",
				code: "model-not-available",
				message: `Phase ${quoted(phaseId)} names the model ${quoted(name)}, which is not available, so the session's model is used.${didYouMean(name, known)}`,
				remedy: "Name a model that `pi --list-models` shows, or enter its key with /login.",
			},
		];
	});
}
