// Removes lines from closed paths from the results of pi's own search tools. Not for shell commands, whose output has no known format.
// Invariants: a line is withheld if the path that it names is closed, by its name or its real path; a file that was moved into a closed folder
// after it was judged is withheld completely.
import { join } from "node:path";
import { counted } from "@pi-chronicle/core/definition";
import type { Footprint } from "@pi-chronicle/footprint";
import type { ScreenedResult, ToolCall } from "../../policy/index.ts";
import type { CompiledRules } from "../match/index.ts";
import type { PathRule } from "../rules/index.ts";
import { builtInVerdict } from "./verdicts.ts";

/** Screens the texts of a result. */
export function screenResult(
	call: ToolCall,
	footprint: Footprint,
	texts: readonly string[],
	compiled: CompiledRules,
): ScreenedResult {
	const closed = (path: string) =>
		[path, compiled.host.realpath(path) ?? path].some((name) => compiled.paths.rulesFor(name, "read").some(isClosing));
	switch (call.tool) {
		case "read":
			return reread(call, compiled);
		case "grep":
			return filterLines(footprint, texts, (line, root) => grepPath(line, root, compiled), closed);
		case "find":
		case "ls":
			return filterLines(
				footprint,
				texts,
				(line, root) => (line.startsWith("[") ? undefined : join(root, line)),
				closed,
			);
		default:
			return undefined;
	}
}

function isClosing(rule: PathRule): boolean {
	return rule.limit === "zero" && rule.decision === "deny" && !rule.dryRun;
}

/** Judges a read file again: a link may have been created in the meantime. */
function reread(call: ToolCall, compiled: CompiledRules): ScreenedResult {
	const { accesses } = compiled.measure(call);
	const [rule] = accesses.flatMap(({ path, real }) =>
		[path, real].flatMap((name) => compiled.paths.rulesFor(name, "read").filter(isClosing)),
	);
	if (!rule) return undefined;
	const reason = "This file is closed to every tool, so it is withheld.";
	return {
		texts: [`[${reason}]`],
		verdict: { ...builtInVerdict("deny", rule.name, reason, "Continue without it."), origin: rule.origin },
	};
}

function filterLines(
	{ accesses }: Footprint,
	texts: readonly string[],
	placeOf: (line: string, root: string) => string | undefined,
	closed: (path: string) => boolean,
): ScreenedResult {
	const root = accesses[0];
	if (!root) return undefined;
	let withheld = 0;
	const filtered = texts.map((text) => {
		const lines = text.split("\n").filter((line) => {
			const place = line === "" ? undefined : placeOf(line, root.path);
			if (place === undefined || !closed(place)) return true;
			withheld++;
			return false;
		});
		return lines.join("\n");
	});
	if (withheld === 0) return undefined;
	const note = `[${counted(withheld, "line")} withheld: from places that are closed to every tool]`;
	const [first = "", ...rest] = filtered;
	return {
		texts: [first.trim() === "" ? note : `${first}\n${note}`, ...rest],
		verdict: builtInVerdict(
			"deny",
			"search-results",
			`${withheld} lines of the result came from closed places.`,
			"Continue without them.",
		),
	};
}

/**
 * The place of a line `path:12: text` or `path-12- text`, as pi's grep writes it. A path may contain such marks itself: the shortest
 * beginning that exists counts, else the shortest.
 */
function grepPath(line: string, root: string, { host }: CompiledRules): string | undefined {
	let first: string | undefined;
	let tried = 0;
	for (const mark of line.matchAll(/[:-]\d+[:-] /g)) {
		const path = join(root, line.slice(0, mark.index));
		first ??= path;
		if (host.kind(path) !== undefined) return path;
		if (++tried > 20) break;
	}
	return first;
}
