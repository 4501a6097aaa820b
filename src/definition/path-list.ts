// Paths of files in a text: a name may contain anything, but must not look like further entries or like another name.

/** The first paths of a list, and how many there are in all. */
export interface PathList {
	readonly paths: readonly string[];
	readonly count: number;
}

/** Maximum number of paths that a list keeps. */
const maxPaths = 10;

/** A list of `paths`; `undefined` if there are none. */
export function pathList(paths: readonly string[]): PathList | undefined {
	return paths.length === 0 ? undefined : { paths: paths.slice(0, maxPaths), count: paths.length };
}

/** `src/cli.js, src/filter.js and 3 more`. */
export function pathListText({ paths, count }: PathList): string {
	const more = count - paths.length;
	return `${paths.map(pathOnLine).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A path for one line of text: line breaks, other control characters and those that change the direction of text are escaped. */
export function pathOnLine(path: string): string {
	return path.replaceAll(
		/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
		(sign) => named[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}
