// One pattern of a path rule, compiled. Text only; the caller passes the name of a place and its real path.
// A pattern is a list of segments. It matches a path if its segments fit the path or a leading part of it: a place and everything in it.
//   `name`, `*.pem`, `a/b`   at any depth          `dir/`      the same; the slash is for the reader
//   `/x`, `~/x`, `C:\x`      anchored              `./x`       anchored at the folder that holds the rule file's `.pi`
//   `**`                     any number of segments; `*`, `?`, `[a]`, `{a,b}` stay within one segment
// Invariants: what is inserted into a pattern (a folder, a variable's value) matches itself only; matching takes at most
// pattern × path steps, because rule files and paths come from others (a regular expression made from `*a*a*a*b` takes seconds).
import {
	compileGlob,
	escapeGlob,
	expandBraces,
	type HostEnvironment,
	hasGlob,
	unescapeGlob,
} from "@pi-chronicle/footprint";
import { isWithin } from "../../policy/index.ts";

export interface PathEnvironment extends Pick<HostEnvironment, "home" | "platform" | "env"> {
	/** The path with links followed as far as they exist. */
	real(path: string): string;
}

type PatternSegment = "**" | ((name: string) => boolean);

export interface PathPattern {
	/** Absolute beginning, folded, without a slash at the end; `undefined` for patterns that match at any depth. */
	readonly anchor: string | undefined;
	readonly segments: readonly PatternSegment[];
	/** Literal name of a pattern that is one name. */
	readonly name: string | undefined;
}

/** Compiles a pattern: one result for every alternative in braces, and one more where links lead elsewhere. */
export function compilePathPattern(
	pattern: string,
	base: string,
	fold: (text: string) => string,
	host: PathEnvironment,
): PathPattern[] {
	const glob = absoluteGlob(pattern, base, host);
	return [...withRealNames(expandBraces(glob) ?? [glob], host)].map((alternative) => {
		const folded = fold(alternative);
		const anchored = isAnchored(folded);
		const words = folded.split("/").filter((word, index) => word !== "" || (index === 0 && anchored));
		const fixed = anchored ? words.slice(0, literalLength(words)) : [];
		const rest = words.slice(fixed.length);
		const [only] = rest;
		return {
			anchor: anchored ? fixed.map(unescapeGlob).join("/") || "/" : undefined,
			segments: rest.map((word) => (word === "**" ? word : compileGlob(word))),
			name: rest.length === 1 && only !== undefined && literalLength(rest) === 1 ? unescapeGlob(only) : undefined,
		};
	});
}

/** The number of words before the first wildcard. */
function literalLength(words: readonly string[]): number {
	const wild = words.findIndex(hasGlob);
	return wild === -1 ? words.length : wild;
}

/** Adds anchored patterns with the links of their literal beginning followed: `~/.ssh` may lead elsewhere. */
function withRealNames(globs: readonly string[], host: PathEnvironment): Set<string> {
	const names = new Set(globs);
	for (const glob of globs) {
		if (!isAnchored(glob)) continue;
		const words = glob.split("/");
		const fixed = words.slice(0, literalLength(words)).join("/");
		names.add(inserted(host.real(unescapeGlob(fixed)), host) + glob.slice(fixed.length));
	}
	return names;
}

function isAnchored(glob: string): boolean {
	return /^(?:\/|[A-Za-z]:\/)/.test(glob);
}

/** The pattern as a glob with forward slashes: `~`, `$HOME`, `%USERPROFILE%` and `./` replaced by what they stand for. */
function absoluteGlob(pattern: string, base: string, host: PathEnvironment): string {
	const windows = /^[A-Za-z]:[\\/]|\\|^%\w+%/.test(pattern);
	const text = (windows ? pattern.replaceAll("\\", "/") : pattern).trim();
	if (text === "." || text.startsWith("./")) return `${inserted(base, host)}/${written(text.slice(2), host)}`;
	const prefix = /^(?:~|\$(\w+)|\$\{(\w+)\}|%(\w+)%|\$env:(USERPROFILE))(?=\/|$)/i.exec(text);
	const [start = "", ...names] = prefix ?? [];
	const name = names.find((found) => found !== undefined) ?? "HOME";
	const value = /^(?:HOME|USERPROFILE)$/i.test(name) ? host.home : host.env(name);
	if (prefix && value !== undefined) return inserted(value, host) + written(text.slice(start.length), host);
	return written(text.startsWith("**/") ? text.slice(3) : text, host);
}

/** A path as part of a glob. Names on Windows hold none of the characters that would need an escape, apart from brackets. */
function inserted(path: string, { platform }: PathEnvironment): string {
	return platform === "win32" ? path.replaceAll("\\", "/") : escapeGlob(path).replace(/[{},'"`$]/g, "\\$&");
}

/** A pattern as written: quotes and `$` are literal in a pattern, but not in brace expansion. */
function written(text: string, { platform }: PathEnvironment): string {
	return platform === "win32" ? text : text.replace(/['"`$]/g, "\\$&");
}

/** Whether a path, split into `parts`, falls under a pattern. */
export function fitsPattern({ anchor, segments }: PathPattern, path: string, parts: readonly string[]): boolean {
	if (anchor === undefined) return parts.some((_, from) => fitsFrom(segments, parts, from));
	// Elsewhere than on Windows a backslash is part of a name.
	if (!isWithin(/^[a-z]:/i.test(anchor) ? path.replaceAll("\\", "/") : path, anchor)) return false;
	return segments.length === 0 || fitsFrom(segments, parts, anchor.split("/").filter((part) => part !== "").length);
}

/** Whether the segments fit a leading part of `parts` from `from` on. `**` keeps one place to return to, which bounds the walk. */
function fitsFrom(segments: readonly PatternSegment[], parts: readonly string[], from: number): boolean {
	let at = from;
	let star = -1;
	let retry = 0;
	for (let index = 0; index < segments.length; ) {
		const segment = segments[index];
		const part = parts[at];
		if (segment === "**") {
			star = index++;
			retry = at;
		} else if (segment !== undefined && part !== undefined && segment(part)) {
			index++;
			at++;
		} else if (star !== -1 && retry < parts.length) {
			index = star + 1;
			at = ++retry;
		} else return false;
	}
	return true;
}

/**
 * A pattern in the meaning of the first guard of this kind: it matches anywhere in the path, `*` crosses slashes, and a slash at the end
 * belongs to the text.
 */
export function compileSubstring(
	pattern: string,
	fold: (text: string) => string,
	host: PathEnvironment,
): (folded: string) => boolean {
	const glob = fold(absoluteGlob(pattern, "", host));
	if (glob.includes("*")) return compileGlob(`*${glob}*`);
	const wanted = unescapeGlob(glob);
	return (folded) => folded.includes(wanted) || `${folded}/`.includes(wanted);
}

/** Makes paths that name one place for the file system equal: letter case, Unicode composition, spellings of Windows. */
export function folding(foldCase: boolean | undefined, platform: string): (text: string) => string {
	const folds = foldCase ?? (platform === "darwin" || platform === "win32");
	const plain = platform === "win32" ? plainWindowsPath : (text: string) => text;
	return folds ? (text) => plain(text).normalize("NFC").toLowerCase() : plain;
}

/** Windows takes many spellings for one place: `\\?\C:\x`, `\\localhost\C$\x`, dots and blanks at the end of a name, `x::$DATA`. */
function plainWindowsPath(text: string): string {
	const local = text
		.replace(/^[\\/]{2}[?.][\\/](?=[A-Za-z]:)/, "")
		.replace(/^[\\/]{2}(?:localhost|127\.0\.0\.1|\[?::1\]?)[\\/]([A-Za-z])\$(?=[\\/]|$)/i, "$1:");
	const drive = /^[A-Za-z]:/.exec(local)?.[0] ?? "";
	return (
		drive +
		local
			.slice(drive.length)
			.replace(/:[^\\/]*(?=[\\/]|$)/g, "")
			.replace(/([^\\/. ])[. ]+(?=[\\/]|$)/g, "$1")
	);
}
