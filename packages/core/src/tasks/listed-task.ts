// One task of a list in a file. Pure.

/** One task, as a child gets it. */
export interface ListedTask {
	/** Unique in its file: `T012`, `3`, `3.1`. */
	readonly id: string;
	readonly title: string;
	/** What the file says about it besides its title; may be empty. */
	readonly details: string;
	/** Ids of tasks of the list. */
	readonly needs: readonly string[];
}

export type TaskListRead =
	| { readonly items: readonly ListedTask[] }
	/** A sentence without its end. */
	| { readonly problem: string };
