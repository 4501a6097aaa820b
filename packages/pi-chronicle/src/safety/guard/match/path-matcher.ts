// Finds the path rules that match a path. Every path is absolute; `path-pattern.ts` defines the patterns.
import { basename } from "node:path";
import { isWithin } from "../../policy/index.ts";
import type { PathException, PathRule, RuleSet } from "../rules/index.ts";
import {
	compilePathPattern,
	compileSubstring,
	fitsPattern,
	folding,
	type PathEnvironment,
	type PathPattern,
} from "./path-pattern.ts";

/** The path rules of a rule set. */
export interface PathMatcher {
	/** Every rule that matches the path, without exceptions, in the order of the rule set. */
	rulesFor(path: string, access: "read" | "change"): readonly PathRule[];
	/** The paths that a rule may match by the last segment or as a whole: without the rules that match a directory above it, or exceptions. */
	mayMatch(paths: readonly string[]): ReadonlySet<string>;
	/** Literal paths of anchored rules below `directory`, absolute: a search by name doesn't find them. */
	placesBelow(directory: string, wanted: (rule: PathRule) => boolean): readonly string[];
	/** Whether any rule that `wanted` accepts can match by name at any depth. */
	matchesNames(wanted: (rule: PathRule) => boolean): boolean;
}

/** Tests a folded path and its segments. */
type PathTest = (folded: string, segments: readonly string[]) => boolean;

/** Those of the paths that a regular expression matches. */
type RegexTest = (folded: readonly string[]) => ReadonlySet<string>;

/** Rules by the work of matching them, cheapest first. */
interface PathIndex {
	/** Rules that are one literal name. */
	readonly byName: Map<string, PathRule[]>;
	/** Rules that are one segment with wildcards. */
	readonly bySegment: { readonly test: (name: string) => boolean; readonly rule: PathRule }[];
	readonly byPath: { readonly test: PathTest; readonly rule: PathRule }[];
	/** The tests of `byPath` that are neither a literal path nor a regular expression. */
	readonly wild: PathTest[];
	/** Starting one costs as much as testing many paths. */
	readonly regexes: RegexTest[];
	/** Literal paths of anchored rules. */
	readonly places: { readonly place: string; readonly rule: PathRule }[];
	/** Rules that can match at any depth. */
	readonly anyDepth: Set<PathRule>;
}

/** Maximum number of names whose rules are cached. Bounded, because names come from the model. */
const MAX_KNOWN = 5000;

type PathRules = Pick<RuleSet, "paths" | "exceptions" | "matching" | "foldCase">;

/** Compiles path rules and exceptions. `testRegex` gives the tester of a rule that is a regular expression. */
export function compilePaths(
	rules: PathRules,
	host: PathEnvironment,
	testRegex: (rule: PathRule) => RegexTest,
): PathMatcher {
	const fold = folding(rules.foldCase, host.platform);
	const index = indexRules(rules, fold, host, testRegex);
	const exceptions = rules.exceptions.map((exception) => {
		const patterns = compilePathPattern(exception.pattern, exception.base, fold, host);
		return { exception, test: fitsAny(patterns) };
	});
	const separator = host.platform === "win32" ? /[\\/]/ : "/";
	const segmentsOf = (folded: string) => folded.split(separator).filter((segment) => segment !== "");
	const known = new Map<string, readonly PathRule[]>();
	const rulesOfSegment = (name: string): readonly PathRule[] => {
		const before = known.get(name);
		if (before) return before;
		const tested = index.bySegment.filter(({ test }) => test(name)).map(({ rule }) => rule);
		const found = [...(index.byName.get(name) ?? []), ...tested];
		if (known.size > MAX_KNOWN) known.clear();
		known.set(name, found);
		return found;
	};

	return {
		rulesFor(path, access) {
			const folded = fold(path);
			const segments = segmentsOf(folded);
			const found = new Set(segments.flatMap(rulesOfSegment));
			for (const { test, rule } of index.byPath) if (!found.has(rule) && test(folded, segments)) found.add(rule);
			if (found.size === 0) return [];
			const lifting = exceptions.filter(
				({ exception, test }) => (exception.access === "all" || access === "read") && test(folded, segments),
			);
			const stays = (rule: PathRule) => !lifting.some(({ exception }) => appliesTo(exception, rule));
			const rulesFound = found.size > 1 ? rules.paths.filter((rule) => found.has(rule)) : [...found];
			return rulesFound.filter(stays);
		},
		mayMatch(paths) {
			const matched = index.regexes.map((matching) => matching(paths.map(fold)));
			const mayMatch = (path: string) => {
				if (rulesOfSegment(fold(basename(path))).length > 0) return true;
				const folded = fold(path);
				if (index.places.some(({ place }) => place === folded)) return true;
				if (matched.some((found) => found.has(folded))) return true;
				const segments = index.wild.length > 0 ? segmentsOf(folded) : [];
				return index.wild.some((test) => test(folded, segments));
			};
			return new Set(paths.filter(mayMatch));
		},
		placesBelow(directory, wanted) {
			const folded = fold(directory);
			return index.places
				.filter(({ place, rule }) => isWithin(place, folded) && wanted(rule))
				.map(({ place }) => place);
		},
		matchesNames: (wanted) => [...index.anyDepth].some(wanted),
	};
}

function indexRules(
	{ paths, matching }: PathRules,
	fold: (text: string) => string,
	host: PathEnvironment,
	testRegex: (rule: PathRule) => RegexTest,
): PathIndex {
	const index: PathIndex = {
		byName: new Map(),
		bySegment: [],
		byPath: [],
		wild: [],
		regexes: [],
		places: [],
		anyDepth: new Set(),
	};
	for (const rule of paths) {
		if (rule.syntax === "regex") {
			const matching = testRegex(rule);
			index.byPath.push({ test: (folded) => matching([folded]).has(folded), rule });
			index.regexes.push(matching);
			index.anyDepth.add(rule);
			continue;
		}
		if (matching === "substring") {
			addTest(index, compileSubstring(rule.pattern, fold, host), rule);
			index.anyDepth.add(rule);
		}
		for (const pattern of compilePathPattern(rule.pattern, rule.base, fold, host)) indexPattern(pattern, rule, index);
	}
	return index;
}

function indexPattern(pattern: PathPattern, rule: PathRule, index: PathIndex): void {
	const { anchor, segments, name } = pattern;
	const [first, ...more] = segments;
	if (anchor !== undefined && segments.length === 0) index.places.push({ place: anchor, rule });
	else index.anyDepth.add(rule);
	if (anchor === undefined && name !== undefined) {
		index.byName.set(name, [...(index.byName.get(name) ?? []), rule]);
	} else if (anchor === undefined && first !== undefined && first !== "**" && more.length === 0) {
		index.bySegment.push({ test: first, rule });
	} else if (anchor !== undefined && segments.length === 0) index.byPath.push({ test: fitsAny([pattern]), rule });
	else addTest(index, fitsAny([pattern]), rule);
}

function addTest(index: PathIndex, test: PathTest, rule: PathRule): void {
	index.byPath.push({ test, rule });
	index.wild.push(test);
}

function fitsAny(patterns: readonly PathPattern[]): PathTest {
	return (folded, segments) => patterns.some((pattern) => fitsPattern(pattern, folded, segments));
}

function appliesTo({ of, limits }: PathException, rule: PathRule): boolean {
	if (limits === "zero" && rule.limit !== "zero") return false;
	return of === "every-file" || of.file === rule.origin.file;
}
