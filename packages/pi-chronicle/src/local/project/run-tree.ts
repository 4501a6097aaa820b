// Trees of runs: a list of runs as trees, the children that a tree may still get, and the runs of a tree that wait for the user.
// Every entry of the list is in exactly one tree; a child whose parent is not in the list is a first run.
import { type ChildRun, isParked, MAX_RUNS_IN_TREE, openQuestion, type Run } from "@pi-chronicle/core/machine";
import type { LedgerEntry, LedgerStore, ReadLedger } from "@pi-chronicle/core/ports";

export class ChildTree {
	readonly #below: (root: string) => Promise<readonly string[]>;
	/** Ids of the children that exist. Read once: only the holder of the first run creates more. */
	#existing: Promise<Set<string>> | undefined;

	/** `below`: the ids of the runs below a run (see `runsBelow`); of one that this process has just created, none. */
	constructor(below: (root: string) => Promise<readonly string[]>) {
		this.#below = below;
	}

	/** Counts a child that is about to be created in the tree of run `root`; `false`: the tree has as many as it can have. */
	async add(root: string, id: string): Promise<boolean> {
		this.#existing ??= this.#below(root).then((ids) => new Set(ids));
		const existing = await this.#existing;
		if (existing.size >= MAX_RUNS_IN_TREE) return false;
		existing.add(id);
		return true;
	}

	/** Reverts `add` for a child that could not be created. */
	remove(id: string): void {
		void this.#existing?.then((existing) => existing.delete(id));
	}
}

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
		const children = (below.get(entry.id) ?? []).sort((one, other) => treeOrder(one) - treeOrder(other));
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

function treeOrder(entry: LedgerEntry): number {
	const { visit = 0, index = 0 } = (entry.kind === "run" && entry.summary.parent) || {};
	return visit * 1000 + index;
}

/** The ids of the existing runs below the run `root`, each after its parent. A run that cannot be read counts as one without children. */
export async function runsBelow(store: Pick<LedgerStore, "ids" | "read">, root: string): Promise<readonly string[]> {
	const existing = new Set(await store.ids());
	const found = [root];
	for (const id of found) {
		const read = await store.read(id);
		if (!read.ok || read.value.run.childCount === 0) continue;
		for await (const event of read.value.events())
			if (event.kind === "children_planned")
				found.push(...event.children.map((child) => child.id).filter((child) => existing.delete(child)));
	}
	return found.slice(1);
}

export interface WaitingChild {
	/** The names of the children on the way to it, from the run down. */
	readonly names: readonly string[];
	readonly read: ReadLedger;
}

/** In the order of the children. A child whose ledger cannot be read is left out. */
export async function waitingChildren(store: Pick<LedgerStore, "read">, run: Run): Promise<readonly WaitingChild[]> {
	const waiting: WaitingChild[] = [];
	for (const { id, name, status } of undecided(run)) {
		const read = await store.read(id);
		if (!read.ok) continue;
		const below = await waitingChildren(store, read.value.run);
		waiting.push(...below.map((child) => ({ ...child, names: [name, ...child.names] })));
		const isOver = read.value.run.stage.kind === "over";
		const counts = isLost(status) ? isOver : waitsForUser(read.value.run);
		if (below.length === 0 && counts) waiting.push({ names: [name], read: read.value });
	}
	return waiting;
}

/** The children that may wait for the user, and those that have failed, if the run waits for its children. */
function undecided({ stage, hold, children }: Run): readonly ChildRun[] {
	if (stage.kind === "over" || !children) return [];
	const countsLost = stage.kind === "waiting" && hold?.cause === "children" && children.phase === "working";
	return children.children.filter(
		({ status }) => status === "pending" || status === "parked" || (countsLost && isLost(status)),
	);
}

function waitsForUser(run: Run): boolean {
	return (isParked(run) && run.stage.kind !== "over") || run.status === "asks" || openQuestion(run) !== undefined;
}

function isLost(status: ChildRun["status"]): boolean {
	return status === "failed" || status === "aborted";
}
