// A problem in a file that the user wrote: its place, a message, and a remedy. A value, never an exception.

export interface Place {
	/** Absolute path. */
	readonly file: string;
	/** 1-based; absent if the place is the whole file. */
	readonly line?: number;
	/** 1-based, in UTF-16 code units. */
	readonly column?: number;
}

export interface Diagnostic extends Place {
	/** `error`: the definition does not load. `warning`: it loads, but a part of it has no effect or is doubtful. */
	readonly severity: "error" | "warning";
	/** Short, stable name of the kind of problem, such as `unknown-key`. */
	readonly code: string;
	/** One sentence that states the problem and names the offending text. */
	readonly message: string;
	/** One sentence that states the fix. */
	readonly remedy: string;
}
