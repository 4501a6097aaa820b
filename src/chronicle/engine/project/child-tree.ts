// The children of one tree of runs, counted over all levels and visits.
// T1 the count follows from the ledgers, so a restart does not change it; T2 adding is atomic: children that start at once cannot exceed the bound.
import { type LedgerEntry, MAX_RUNS_IN_TREE } from "../../core/index.ts";
import { type RunTree, runsOf, runTrees } from "./run-tree.ts";

export class ChildTree {
	readonly #list: () => Promise<readonly LedgerEntry[]>;
	/** Ids of the children that exist. Read once: only the holder of the first run creates more. */
	#existing: Promise<Set<string>> | undefined;

	/** `list`: all runs of the store; of a tree that this process has just created, none. */
	constructor(list: () => Promise<readonly LedgerEntry[]>) {
		this.#list = list;
	}

	/** Counts a child that is about to be created in the tree of run `root`; `false`: the tree has as many as it can have. */
	async add(root: string, id: string): Promise<boolean> {
		this.#existing ??= this.#read(root);
		const existing = await this.#existing;
		if (existing.size >= MAX_RUNS_IN_TREE) return false;
		existing.add(id);
		return true;
	}

	/** Reverts `add` for a child that could not be created. */
	remove(id: string): void {
		void this.#existing?.then((existing) => existing.delete(id));
	}

	async #read(root: string): Promise<Set<string>> {
		const tree = runTrees(await this.#list()).find(({ entry }) => entry.id === root);
		return new Set(tree ? childrenOf(tree) : []);
	}
}

function childrenOf(tree: RunTree): string[] {
	return runsOf(tree)
		.slice(1)
		.map(({ id }) => id);
}
