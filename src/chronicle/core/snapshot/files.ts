// A measured change of a file, and a file that could not be measured or restored.

export interface FileChange {
	/** Relative to the run's folder, `/` between segments. */
	readonly path: string;
	readonly change: "A" | "M" | "D" | "R";
	/** For `R`: the old path. */
	readonly from?: string;
	/** Line counts; absent for files without lines (binary, submodule, link). */
	readonly added?: number;
	readonly removed?: number;
}

/** Number of changed files, and of their lines that are known. */
export interface ChangeTotals {
	readonly files: number;
	readonly added: number;
	readonly removed: number;
}

/** Counts `changes` and `more` files that are not listed. */
export function totalChanges(changes: readonly FileChange[], more = 0): ChangeTotals {
	const sum = (key: "added" | "removed"): number => changes.reduce((total, change) => total + (change[key] ?? 0), 0);
	return { files: changes.length + more, added: sum("added"), removed: sum("removed") };
}

/** A file, or a folder with everything in it, that could not be kept, compared or restored. */
export interface FileLeft {
	/** As in `FileChange`. */
	readonly path: string;
	/** The reason, as part of a sentence. */
	readonly why: string;
}

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Escapes a path for one line of a list: line breaks and other control characters in a name must not look like further entries. */
export function pathOnLine(path: string): string {
	return path.replaceAll(
		/[\p{Cc}\u2028\u2029]/gu,
		(sign) => named[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}
