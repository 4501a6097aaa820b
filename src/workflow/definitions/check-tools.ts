// Compares the tool names in phase limits with the tools that a session really has. Known only when asked: at load time there may be
// no session, and extensions come and go.
import { type Diagnostic, didYouMean, quoted } from "../../definition/index.ts";
import { isListed } from "../limits/index.ts";
import type { Catalogue } from "./definition.ts";

/**
 * A warning for every name or glob in a phase's limits that fits none of `tools`, the names of all tools of the session. The step
 * tool is always known: it cannot be limited.
 */
export function checkToolNames(catalogue: Catalogue, tools: Iterable<string>): Diagnostic[] {
	const known = new Set([...tools, "workflow_step"]);
	const found = new Map<string, Diagnostic>();
	const fits = new Map<string, boolean>();
	for (const { name, phaseId, place } of catalogue.mentions) {
		let fit = fits.get(name);
		if (fit === undefined) {
			fit = known.has(name) || (name.includes("*") && [...known].some((tool) => isListed([name], tool)));
			fits.set(name, fit);
		}
		const where = `${place.file}:${place.line}:${place.column}`;
		if (fit || found.has(where)) continue;
		found.set(where, {
			...place,
			severity: "warning",
			code: "unknown-tool",
			message: `Phase ${quoted(phaseId)} limits ${quoted(name)}, and this session has no such tool.${didYouMean(name, known)}`,
			remedy: "Correct the name, or install the extension that brings the tool; names are case-sensitive.",
		});
	}
	return [...found.values()];
}
