// Compares the tool names in phase limits with the tools of a session. This check runs on demand: at load time there may be no session,
// and extensions come and go.
import { type Diagnostic, didYouMean, isListed, nearest, quoted } from "../../definition/index.ts";
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
			fit = folded.has(name.toLowerCase()) || (name.includes("*") && [...known].some((tool) => isListed([name], tool)));
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
 * Warns about misspelled names, such as `edti`, in the blacklists of `definitions`: a misspelled name forbids nothing. Only includes names
 * similar to one of `tools`; other unknown tools may just not be installed today.
 */
export function misspeltBlacklists(
	catalogue: Pick<Catalogue, "mentions">,
	definitions: Iterable<WorkflowDefinition>,
	tools: readonly string[],
): Diagnostic[] {
	const forbidding = new Set(
		[...definitions].flatMap(({ entries }) =>
			entries.flatMap((entry) => (entry.kind === "phase" && entry.tools.kind === "blacklist" ? [entry.file] : [])),
		),
	);
	const misspelt = ({ name, place }: ToolMention) => forbidding.has(place.file) && nearest(name, tools) !== undefined;
	return checkToolNames({ mentions: catalogue.mentions.filter(misspelt) }, tools);
}
