// A changed file, as measured, and one that could not be measured or restored.

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

/** A file, or a folder with everything in it, that could not be kept, compared or restored. */
export interface FileLeft {
	/** As of `FileChange`. */
	readonly path: string;
	/** The reason, as part of a sentence. */
	readonly why: string;
}

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A path for one line of a list: a name may hold line breaks and other controls, and must not look like further entries. */
export function pathOnLine(path: string): string {
	return path.replaceAll(
		/[\p{Cc}\u2028\u2029]/gu,
		(sign) => named[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}
