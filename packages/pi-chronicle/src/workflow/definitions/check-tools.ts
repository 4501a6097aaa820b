// Compares the tool names in phase limits with the tools of a session. This check runs on demand: at load time there may be no session,
// and extensions come and go.
import { type Diagnostic, didYouMean, isListed, nearest, quoted } from "@pi-chronicle/core/definition";
import type { Catalogue, ToolMention, WorkflowDefinition } from "./definition.ts";

/**
 * Warns about every name or glob in a phase's limits that matches none of `tools`, the names of all tools of the session. The step tool
 * always counts as known, because it cannot be limited.
 */
export function checkToolNames(catalogue: Pick<Catalogue, "mentions">, tools: Iterable<string>): Diagnostic[] {
	const known = new Set([...tools, "workflow_step"]);
	const folded = new Set([...known].map((tool) => tool.toLowerCase()));
	const found = new Map<string, Diagnostic>();
	const fits = new Map<string, boolean>();
	for (const { name, phaseId, place } of catalogue.mentions) {
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
	const isMeant = ({ name, place }: ToolMention) =>
		forbidding.has(place.file) && (which === "every entry" || nearest(name, tools) !== undefined);
	return checkToolNames({ mentions: catalogue.mentions.filter(isMeant) }, tools);
}
