// A rule set made ready for judging: expressions compiled, paths indexed, meanings told. Done once for a session's rules.
import type { Footprint, Surroundings } from "../../footprint/index.ts";
import type { ToolCall } from "../policy/index.ts";
import { type TemporaryPlaces, temporaryPlaces } from "../temporary.ts";
import { type SelfProtection, selfProtection } from "./built-in.ts";
import { type GitView, openGitView } from "./git-view.ts";
import { type Meaning, meaningsOf } from "./inferred-effects.ts";
import { type PatternTable, tabulate } from "./matching.ts";
import { compilePaths, type PathMatcher, type PathSurroundings } from "./path-rule.ts";
import { compileRule } from "./pattern.ts";
import type { CommandRule, EffectRule, RuleSet } from "./rules.ts";
import { openSlowExpressions, type SlowExpressions } from "./slow-expressions.ts";

export interface GuardOptions {
	readonly rules: RuleSet;
	readonly surroundings: Surroundings;
	/** pi's agent folder. */
	readonly agentDir: string | undefined;
	/** The footprint of another call, for scripts that are written and for what a result came from. */
	readonly measure: (call: ToolCall) => Footprint;
}

/** Everything about a rule set that is made ready once. */
export interface Ready extends GuardOptions {
	readonly table: PatternTable;
	readonly meanings: readonly { readonly rule: CommandRule; readonly meaning: Meaning }[];
	readonly paths: PathMatcher;
	readonly own: SelfProtection;
	readonly temporary: TemporaryPlaces;
	readonly git: GitView;
	readonly slow: SlowExpressions;
	/** For every effect rule whether a path is one that it leaves out. */
	readonly exceptPaths: ReadonlyMap<EffectRule, (path: string) => boolean>;
}

/** Compiles the rules of a session. The reader has made sure that every expression is valid. */
export function makeReady(options: GuardOptions): Ready {
	const { rules, surroundings } = options;
	const patterns = rules.commands.map(compileRule);
	const around: PathSurroundings & { agentDir: string | undefined } = {
		home: surroundings.home,
		platform: surroundings.platform,
		env: surroundings.env,
		real: (path) => deepestReal(path, surroundings),
		agentDir: options.agentDir,
	};
	const regexes = new Map(
		rules.paths.filter(({ syntax }) => syntax === "regex").map((rule) => [rule, new RegExp(rule.pattern)]),
	);
	return {
		...options,
		table: tabulate(patterns),
		meanings: meaningsOf(patterns),
		// No file system has longer paths; the reader lets only expressions through that are cheap on so much.
		paths: compilePaths(rules, around, (rule) => (path) => regexes.get(rule)?.test(path.slice(0, 4096)) ?? true),
		own: selfProtection(rules, around),
		temporary: temporaryPlaces(surroundings),
		git: openGitView(),
		slow: openSlowExpressions(),
		exceptPaths: new Map(rules.effects.map((rule) => [rule, anyOf(rule, rules, around)])),
	};
}

function anyOf(rule: EffectRule, { foldCase }: RuleSet, around: PathSurroundings): (path: string) => boolean {
	const paths = rule.except
		.filter((written) => !/\S\s+\S/.test(written.trim()))
		.map((pattern) => ({ ...rule, kind: "path", limit: "zero", pattern, syntax: "glob" }) as const);
	const matcher = compilePaths({ paths, exceptions: [], matching: "segments", foldCase }, around, () => () => false);
	return (path) => matcher.rulesFor(path, "change").length > 0;
}

/** The real path of the deepest existing ancestor, plus the rest. */
function deepestReal(path: string, { realpath }: Surroundings): string {
	let head = path.replace(/\/+$/, "") || "/";
	let rest = "";
	for (;;) {
		const real = realpath(head);
		if (real !== undefined) return rest === "" ? real : `${real === "/" ? "" : real}${rest}`;
		const cut = head.lastIndexOf("/");
		if (cut <= 0) return path;
		rest = head.slice(cut) + rest;
		head = head.slice(0, cut);
	}
}
