// The runs of a list as trees: first runs, and below each its child runs. Pure.
// T1 every entry is in exactly one tree; T2 a child whose parent is not in the list is a first run.
import type { LedgerEntry } from "../../core/index.ts";

export interface RunTree {
	readonly entry: LedgerEntry;
	/** In the order in which they were planned. */
	readonly children: readonly RunTree[];
}

/** The id of the parent run; `undefined` for a first run or an unreadable one. */
export function parentOf(entry: LedgerEntry): string | undefined {
	return entry.kind === "run" ? entry.summary.parent?.run : undefined;
}

/** The trees of a list, in its order. */
export function runTrees(entries: readonly LedgerEntry[]): RunTree[] {
	const known = new Set(entries.map(({ id }) => id));
	const below = new Map<string, LedgerEntry[]>();
	const first: LedgerEntry[] = [];
	for (const entry of entries) {
		const parent = parentOf(entry);
		if (parent === undefined || !known.has(parent)) first.push(entry);
		else below.set(parent, [...(below.get(parent) ?? []), entry]);
	}
	const treeOf = (entry: LedgerEntry): RunTree => {
		const children = (below.get(entry.id) ?? []).sort((one, other) => orderOf(one) - orderOf(other));
		return { entry, children: children.map(treeOf) };
	};
	return first.map(treeOf);
}

/** The first runs of a list, in its order. */
export function firstRuns(entries: readonly LedgerEntry[]): LedgerEntry[] {
	return runTrees(entries).map(({ entry }) => entry);
}

/** A run and all runs below it, each before its children. */
export function runsOf({ entry, children }: RunTree): LedgerEntry[] {
	return [entry, ...children.flatMap(runsOf)];
}

function orderOf(entry: LedgerEntry): number {
	const { visit = 0, index = 0 } = (entry.kind === "run" && entry.summary.parent) || {};
	return visit * 1000 + index;
}
