// The files that a run changed over several visits: merges the changes of one visit into earlier ones.
import type { FileChange } from "./files.ts";

type Visited = FileChange & { readonly visit: number };

/** `changes` of `visit` merged into `earlier` ones, last changed last. A file that was added and deleted again is no change. */
export function mergeChanges(
	earlier: readonly Visited[],
	changes: readonly FileChange[],
	visit: number,
): readonly Visited[] {
	const files = new Map(earlier.map((file) => [file.path, file]));
	for (const change of changes) {
		const before = files.get(change.from ?? change.path);
		files.delete(change.path);
		if (change.from !== undefined) files.delete(change.from);
		const net = netChange(before, change);
		if (net) files.set(change.path, { ...net, visit });
	}
	return [...files.values()];
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
