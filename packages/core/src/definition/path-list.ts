// Paths of files in a text: a name may contain anything, but must not look like further entries or like another name.

/** The first paths of a list, and how many there are in all. */
export interface PathList {
	readonly paths: readonly string[];
	readonly count: number;
	/** Those of `paths` that are new files; absent: none, or unknown. */
	readonly added?: readonly string[];
}

/** Maximum number of paths that a list keeps. */
const maxPaths = 10;

/** A list of `paths`, of which those in `added` are new files; `undefined` if there are none. */
export function pathList(all: Required<Omit<PathList, "count">>): PathList | undefined {
	if (all.paths.length === 0) return undefined;
	const paths = all.paths.slice(0, maxPaths);
	const added = paths.filter((path) => all.added.includes(path));
	return { paths, count: all.paths.length, ...(added.length > 0 ? { added } : {}) };
}

/** `src/cli.js, src/filter.js (new) and 3 more`. */
export function pathListText({ paths, count, added = [] }: PathList): string {
	const more = count - paths.length;
	const names = paths.map((path) => `${pathOnLine(path)}${added.includes(path) ? " (new)" : ""}`);
	return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A path for one line of text: line breaks, other control characters and those that change the direction of text are escaped. */
export function pathOnLine(path: string): string {
	return path.replaceAll(
		/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
		(sign) => named[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}
