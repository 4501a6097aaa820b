// The files that a run changed over several visits: as compared with its start, or else merged from the changes of its visits.
import type { FileChange, MeasuredChanges } from "./files.ts";

/** Line counts of a file that several visits changed: `exact` against the run's start, or none; `last`: of the last visit, as earlier versions count. */
export type MergedLines = "exact" | "last";

type Visited = FileChange & { readonly visit: number };

/**
 * The changes `ofRun` since the run started, each with the visit that last changed it, last changed last. `earlier` ones stay where `ofRun`
 * lists only some changes.
 */
export function placeChanges(
	earlier: readonly Visited[],
	{ changes: compared = [], more = 0 }: MeasuredChanges,
	{ changes, visit }: { readonly changes: readonly FileChange[]; readonly visit: number },
): readonly Visited[] {
	const merged = mergeChanges(earlier, changes, visit, "exact");
	const visits = new Map(merged.map((file) => [file.path, file.visit]));
	const listed = new Set(compared.map(({ path }) => path));
	const others = more > 0 ? merged.filter(({ path }) => !listed.has(path)) : [];
	const now = compared.map((change): Visited => ({ ...change, visit: visits.get(change.path) ?? visit }));
	return [...others, ...now].toSorted((one, other) => one.visit - other.visit);
}

/** `changes` of `visit` merged into `earlier` ones, last changed last. A file that was added and deleted again is no change. */
export function mergeChanges(
	earlier: readonly Visited[],
	changes: readonly FileChange[],
	visit: number,
	lines: MergedLines,
): readonly Visited[] {
	const files = new Map(earlier.map((file) => [file.path, file]));
	for (const change of changes) {
		const before = files.get(change.from ?? change.path);
		files.delete(change.path);
		if (change.from !== undefined) files.delete(change.from);
		const net = lines === "last" ? netChange(before, change) : exactChange(before, change, visit);
		if (net) files.set(change.path, { ...net, visit });
	}
	return [...files.values()];
}

/** What a run and its child have changed, as one list. */
export function joinChanges(outer: readonly Visited[], own: readonly Visited[]): readonly Visited[] {
	const before = outer.map((file): Visited => ({ ...file, visit: 0 }));
	return own.reduce(
		(files, change) => mergeChanges(files, [change], change.visit, "exact"),
		before as readonly Visited[],
	);
}

function exactChange(before: Visited | undefined, now: FileChange, visit: number): FileChange | undefined {
	// A visit is measured again as a whole.
	if (!before || (before.visit === visit && before.change === now.change)) return now;
	const isAdded = before.change === "A";
	if (now.change === "D") return isAdded ? undefined : withoutCounts(now);
	const { path } = now;
	if (isAdded) return { path, change: "A", ...addedLines(before, now, visit) };
	const from = now.from ?? before.from;
	if (before.change === "R" || now.change === "R")
		return withoutCounts({ path, change: "R", ...(from === undefined ? {} : { from: before.from ?? from }) });
	return { path, change: "M" };
}

/** An added file consists of added lines alone. */
function addedLines(before: Visited, now: FileChange, visit: number): Pick<FileChange, "added" | "removed"> {
	if (now.change === "A") return now.added === undefined ? {} : { added: now.added, removed: 0 };
	if (before.visit === visit || before.added === undefined || now.added === undefined) return {};
	return { added: before.added + now.added - (now.removed ?? 0), removed: 0 };
}

function withoutCounts({ added: _, removed: __, ...change }: FileChange): FileChange {
	return change;
}

function netChange(before: FileChange | undefined, now: FileChange): FileChange | undefined {
	const added = before?.change === "A";
	switch (now.change) {
		case "A":
			return before?.change === "D" ? { ...now, change: "M" } : now;
		case "M":
			return added || before?.change === "R" ? { ...now, change: before?.change ?? "M", ...fromOf(before) } : now;
		case "D":
			return added ? undefined : { ...now, path: now.path };
		case "R": {
			if (!added) return before?.change === "R" ? { ...now, ...fromOf(before) } : now;
			const { from: _, ...rest } = now;
			return { ...rest, change: "A" };
		}
	}
}

function fromOf(change: FileChange | undefined): { from?: string } {
	return change?.from === undefined ? {} : { from: change.from };
}
