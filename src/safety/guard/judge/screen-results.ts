// What a search of pi's own tools found, without what comes from closed places. Not for shell commands: their output has no known form.
// C1 a line is withheld when the place that it names is closed, by its name or by where it really is; C2 a file that has come to
// lie in a closed place since it was judged is withheld whole.
import { join } from "node:path";
import type { FileAccess, Footprint } from "../../../footprint/index.ts";
import type { ScreenedResult, ToolCall } from "../../policy/index.ts";
import type { CompiledRules } from "../match/index.ts";
import type { PathRule } from "../rules/index.ts";
import { builtInVerdict } from "./verdicts.ts";

/** Filters the texts of a result. */
export function screenResult(
	call: ToolCall,
	footprint: Footprint,
	texts: readonly string[],
	ready: CompiledRules,
): ScreenedResult {
	const closed = (path: string) =>
		[path, ready.host.realpath(path) ?? path].some((name) => ready.paths.rulesFor(name, "read").some(isClosing));
	switch (call.tool) {
		case "read":
			return reread(call, ready);
		case "grep":
			return filterLines(footprint, texts, (line, root) => grepPath(line, root, ready), closed);
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

/** Judges the file that was read once more: a link may have been put in its way in the meantime. */
function reread(call: ToolCall, ready: CompiledRules): ScreenedResult {
	const { accesses } = ready.measure(call);
	const [rule] = accesses.flatMap(({ path, real }) =>
		[path, real].flatMap((name) => ready.paths.rulesFor(name, "read").filter(isClosing)),
	);
	if (!rule) return undefined;
	const reason = "What was read lies in a place that is closed to every tool, so it is withheld.";
	return {
		texts: [`[${reason}]`],
		verdict: { ...builtInVerdict("deny", rule.name, reason, "Go on without it."), origin: rule.origin },
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
			const place = line === "" ? undefined : placeOf(line, rootPath(root));
			if (place === undefined || !closed(place)) return true;
			withheld++;
			return false;
		});
		return lines.join("\n");
	});
	if (withheld === 0) return undefined;
	const note = `[${withheld} ${withheld === 1 ? "line" : "lines"} withheld: from places that are closed to every tool]`;
	const [first = "", ...rest] = filtered;
	return {
		texts: [first.trim() === "" ? note : `${first}\n${note}`, ...rest],
		verdict: builtInVerdict(
			"deny",
			"search-results",
			`${withheld} lines of the result came from closed places.`,
			"Go on without them.",
		),
	};
}

function rootPath({ path }: FileAccess): string {
	return path;
}

/**
 * The place of a line `path:12: text` or `path-12- text`, as pi's grep writes it. A path may hold such marks itself: the shortest
 * beginning that is there counts, else the shortest.
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
