// What is wrong with something a person wrote: where, what, and what to do. A value, never an exception.

export interface Place {
	/** Absolute path. */
	readonly file: string;
	/** 1-based; absent where the whole file is meant. */
	readonly line?: number;
	/** 1-based, in UTF-16 units. */
	readonly column?: number;
}

export interface Diagnostic extends Place {
	/** `error`: what it stands in does not load. `warning`: it loads, and something in it has no effect or is doubtful. */
	readonly severity: "error" | "warning";
	/** Short stable name of the kind of problem, e.g. `unknown-key`. */
	readonly code: string;
	/** One sentence: what is wrong, naming the offending text. */
	readonly message: string;
	/** One sentence: what to do about it. */
	readonly remedy: string;
}
