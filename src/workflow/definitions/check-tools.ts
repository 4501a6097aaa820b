// Compares the tool names in phase limits with the tools that a session really has. Known only when asked: at load time there may be
// no session, and extensions come and go.
import { type Diagnostic, didYouMean, isListed, nearest, quoted } from "../../definition/index.ts";
import type { Catalogue, ToolMention, WorkflowDefinition } from "./definition.ts";

/**
 * A warning for every name or glob in a phase's limits that fits none of `tools`, the names of all tools of the session. The step
 * tool is always known: it cannot be limited.
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
			message: `Phase ${quoted(phaseId)} limits ${quoted(name)}, and this session has no such tool.${didYouMean(name, known)}`,
			remedy: "Correct the name, or install the extension that brings the tool.",
		});
	}
	return [...found.values()];
}

/**
 * The same for names that were probably meant to forbid one of `tools` in a phase of `definitions`, such as `edti`: what is misspelt in a
 * blacklist forbids nothing. Names of tools that may only be missing today are not among them.
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
