// Which rules a path falls under. Text only: whoever asks gives the name of a place and its real path, both.
// A pattern is a list of segments. It matches a path whose segments, or some beginning of them, fit: a place and all that is in it.
//   `name`, `*.pem`, `a/b`   at any depth          `dir/`      the same; the slash says that a directory is meant
//   `/x`, `~/x`, `C:\x`      anchored              `./x`       anchored at the folder that holds the rule file's `.pi`
//   `**`                     any number of segments; `*`, `?`, `[a]`, `{a,b}` stay within one segment
// P1 every path is absolute; P2 with folding, case and Unicode composition do not count.
import type { PathException, PathRule, RuleSet } from "../rules/index.ts";
import { compileWildcard, expandBraces, type Wildcard } from "./wildcard.ts";

export interface PathEnvironment {
	readonly home: string;
	readonly platform: NodeJS.Platform;
	/** Environment variables that patterns may begin with, such as `HOME`. */
	env(name: string): string | undefined;
	/** The path with links followed as far as they exist. */
	real(path: string): string;
}

/** A path rule in the order of the rule set. */
export interface PathMatcher {
	/** Every rule that the path falls under, exceptions taken off. */
	rulesFor(path: string, access: "read" | "change"): readonly PathRule[];
	/** Known places of anchored rules below `directory`, absolute: what has to be looked for there beside names. */
	placesBelow(directory: string, wanted: (rule: PathRule) => boolean): readonly string[];
	/** Whether any wanted rule can match by name at any depth. */
	matchesNames(wanted: (rule: PathRule) => boolean): boolean;
}

type Segment = "**" | Wildcard;

interface Compiled {
	/** Absolute beginning, folded, without a slash at the end; `undefined` for patterns that match at any depth. */
	readonly anchor: string | undefined;
	readonly segments: readonly Segment[];
	/** Literal name of a pattern that is one name. */
	readonly name: string | undefined;
}

/** Compiles the path rules and exceptions of a rule set. A regex in a dialect's rule is given as a tester by `regexOf`. */
export function compilePaths(
	rules: Pick<RuleSet, "paths" | "exceptions" | "matching" | "foldCase">,
	host: PathEnvironment,
	regexOf: (rule: PathRule) => (path: string) => boolean,
): PathMatcher {
	const fold = folding(rules.foldCase, host.platform);
	const split = (path: string) => splitPath(path, host.platform);
	const substring = rules.matching === "substring";

	const byName = new Map<string, PathRule[]>();
	const byOneSegment: { readonly test: Wildcard; readonly rule: PathRule }[] = [];
	const others: { readonly test: (folded: string, segments: readonly string[]) => boolean; readonly rule: PathRule }[] =
		[];
	const places: { readonly place: string; readonly rule: PathRule }[] = [];
	const byDepth = new Set<PathRule>();

	for (const rule of rules.paths) {
		if (rule.syntax === "regex") {
			const test = regexOf(rule);
			others.push({ test: (folded) => test(folded), rule });
			byDepth.add(rule);
			continue;
		}
		if (substring) {
			others.push({ test: containing(rule.pattern, fold, host), rule });
			byDepth.add(rule);
		}
		for (const pattern of compilePattern(rule.pattern, rule.base, fold, host)) {
			if (pattern.anchor === undefined) byDepth.add(rule);
			else if (pattern.segments.length === 0) places.push({ place: pattern.anchor, rule });
			else byDepth.add(rule);
			const [first, ...more] = pattern.segments;
			if (pattern.anchor === undefined && pattern.name !== undefined) {
				byName.set(pattern.name, [...(byName.get(pattern.name) ?? []), rule]);
			} else if (pattern.anchor === undefined && first !== undefined && first !== "**" && more.length === 0) {
				byOneSegment.push({ test: first, rule });
			} else others.push({ test: (folded, segments) => fits(pattern, folded, segments, split), rule });
		}
	}

	const exceptions = rules.exceptions.map((exception) => {
		const patterns = compilePattern(exception.pattern, exception.base, fold, host);
		return {
			exception,
			test: (folded: string, segments: readonly string[]) =>
				patterns.some((pattern) => fits(pattern, folded, segments, split)),
		};
	});

	const known = new Map<string, readonly PathRule[]>();
	const rulesOfSegment = (segment: string): readonly PathRule[] => {
		let found = known.get(segment);
		if (!found) {
			const named = byName.get(segment) ?? [];
			found = [...named, ...byOneSegment.filter(({ test }) => test(segment)).map(({ rule }) => rule)];
			// Bounded: names come from the model.
			if (known.size > 5000) known.clear();
			known.set(segment, found);
		}
		return found;
	};

	return {
		rulesFor(path, access) {
			const folded = fold(path);
			const segments = split(folded);
			const found = new Set<PathRule>();
			for (const segment of segments) for (const rule of rulesOfSegment(segment)) found.add(rule);
			for (const { test, rule } of others) if (!found.has(rule) && test(folded, segments)) found.add(rule);
			if (found.size === 0) return [];
			for (const { exception, test } of exceptions) {
				if ((exception.access === "read" && access === "change") || !test(folded, segments)) continue;
				for (const rule of found) if (appliesTo(exception, rule)) found.delete(rule);
			}
			return found.size > 1 ? rules.paths.filter((rule) => found.has(rule)) : [...found];
		},
		placesBelow(directory, wanted) {
			const folded = fold(directory);
			return places.filter(({ place, rule }) => isBelow(place, folded) && wanted(rule)).map(({ place }) => place);
		},
		matchesNames: (wanted) => [...byDepth].some(wanted),
	};
}

function appliesTo({ of, limits }: PathException, rule: PathRule): boolean {
	if (limits === "zero" && rule.limit !== "zero") return false;
	return of === "every-file" || of.file === rule.origin.file;
}

/** Compiles one pattern: one result for every alternative in braces. */
export function compilePattern(
	pattern: string,
	base: string,
	fold: (text: string) => string,
	host: PathEnvironment,
): Compiled[] {
	return [...bothNames(expandBraces(absolutePattern(pattern, base, host)), host)].map((alternative) => {
		const folded = fold(alternative);
		const anchored = isAnchored(folded);
		const words = folded.split("/").filter((word, index) => word !== "" || (index === 0 && anchored));
		const literal = words.findIndex((word) => word === "**" || /[*?[]/.test(word));
		const fixed = anchored ? words.slice(0, literal === -1 ? words.length : literal) : [];
		const rest = words.slice(fixed.length);
		const [only] = rest;
		return {
			anchor: anchored ? fixed.join("/") || "/" : undefined,
			segments: rest.map((word) => (word === "**" ? word : compileWildcard(word))),
			name: rest.length === 1 && only !== undefined && only !== "**" && !/[*?[]/.test(only) ? only : undefined,
		};
	});
}

/** Anchored patterns once more with the links of their fixed beginning followed: `~/.ssh` may lead elsewhere. */
function bothNames(patterns: readonly string[], host: PathEnvironment): Set<string> {
	const names = new Set(patterns);
	for (const pattern of patterns) {
		if (!isAnchored(pattern)) continue;
		const wild = pattern.search(/\/[^/]*[*?[]/);
		const fixed = wild === -1 ? pattern : pattern.slice(0, wild);
		names.add(host.real(fixed).replaceAll(host.platform === "win32" ? "\\" : "/", "/") + pattern.slice(fixed.length));
	}
	return names;
}

function isAnchored(pattern: string): boolean {
	return /^(?:\/|[A-Za-z]:\/)/.test(pattern);
}

/** `~`, `$HOME`, `%USERPROFILE%`, backslashes and `./` written out; forward slashes only. */
function absolutePattern(pattern: string, base: string, host: PathEnvironment): string {
	const windows = /^[A-Za-z]:[\\/]|\\|^%\w+%/.test(pattern);
	let text = (windows ? pattern.replaceAll("\\", "/") : pattern).trim();
	const home = host.home.replaceAll("\\", "/");
	text = text.replace(/^(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)(?=\/|$)/i, () => home);
	text = text.replace(/^(?:\$(\w+)|\$\{(\w+)\}|%(\w+)%)(?=\/|$)/, (whole, a?: string, b?: string, c?: string) => {
		const value = host.env(a ?? b ?? c ?? "");
		return value === undefined ? whole : value.replaceAll("\\", "/");
	});
	if (text === "." || text.startsWith("./")) return `${base.replaceAll("\\", "/")}/${text.slice(2)}`;
	return text.startsWith("**/") ? text.slice(3) : text;
}

function fits(
	{ anchor, segments }: Compiled,
	folded: string,
	parts: readonly string[],
	split: (path: string) => string[],
): boolean {
	if (anchor === undefined) {
		for (let from = 0; from < parts.length; from++) if (fitsFrom(segments, parts, from)) return true;
		return false;
	}
	const path = folded.includes("\\") ? folded.replaceAll("\\", "/") : folded;
	if (!isBelow(path, anchor)) return false;
	return segments.length === 0 || fitsFrom(segments, parts, split(anchor).length);
}

/** Whether the segments fit some beginning of `parts` from `from` on; `dir/**` takes `dir` in. `**` keeps one place to return to, so the walk stays short. */
function fitsFrom(segments: readonly Segment[], parts: readonly string[], from: number): boolean {
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

/** The first guard of this kind: a pattern matches anywhere in the path, `*` crosses slashes, a slash at the end belongs to the text. */
function containing(
	pattern: string,
	fold: (text: string) => string,
	host: PathEnvironment,
): (folded: string) => boolean {
	const wanted = fold(absolutePattern(pattern, "", host));
	if (!wanted.includes("*")) return (folded) => folded.includes(wanted) || `${folded}/`.includes(wanted);
	const test = compileWildcard(`*${wanted}*`);
	return (folded) => test(folded);
}

/** Text that compares equal for places that the file system takes for the same. */
export function folding(foldCase: boolean | undefined, platform: NodeJS.Platform): (text: string) => string {
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

function splitPath(path: string, platform: NodeJS.Platform): string[] {
	return path.split(platform === "win32" ? /[\\/]/ : "/").filter((segment) => segment !== "");
}

function isBelow(path: string, directory: string): boolean {
	return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
