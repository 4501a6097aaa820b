// One changed file, as measured.

export interface FileChange {
	/** Relative to the run's folder, `/` between segments. */
	readonly path: string;
	readonly change: "A" | "M" | "D" | "R";
	/** Of `R`: where it was. */
	readonly from?: string;
	/** Lines; absent for what has none (binary, submodule, link). */
	readonly added?: number;
	readonly removed?: number;
}
