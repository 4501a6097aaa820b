// The children of one tree of runs, counted over all levels and visits.
// T1 the count follows from the ledgers, so a restart does not change it; T2 adding is atomic: children that start at once cannot exceed the bound.
import { MAX_RUNS_IN_TREE } from "../../core/index.ts";

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
