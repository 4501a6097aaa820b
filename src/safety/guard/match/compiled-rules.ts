// A rule set made ready for judging: expressions compiled, paths indexed, meanings told. Done once for a session's rules.
import type { Footprint, HostEnvironment } from "../../../footprint/index.ts";
import type { ToolCall } from "../../policy/index.ts";
import { type TemporaryPlaces, temporaryPlaces } from "../../temporary-places.ts";
import type { CommandRule, EffectRule, RuleSet } from "../rules/index.ts";
import { groupPatterns, type PatternGroups } from "./command-matcher.ts";
import { compileCommandRule } from "./command-pattern.ts";
import { type GitView, openGitView } from "./git-view.ts";
import { type InferredEffect, inferEffects } from "./inferred-effects.ts";
import { compilePaths, type PathMatcher } from "./path-matcher.ts";
import type { PathEnvironment } from "./path-pattern.ts";
import { type SelfProtection, selfProtection } from "./self-protection.ts";
import { openSlowExpressions, type SlowExpressions } from "./slow-expressions.ts";

export interface GuardOptions {
	readonly rules: RuleSet;
	readonly host: HostEnvironment;
	/** pi's agent folder. */
	readonly agentDir: string | undefined;
	/** The footprint of another call, for scripts that are written and for what a result came from. */
	readonly measure: (call: ToolCall) => Footprint;
}

/** Everything about a rule set that is made ready once. */
export interface CompiledRules extends GuardOptions {
	readonly table: PatternGroups;
	readonly meanings: readonly { readonly rule: CommandRule; readonly meaning: InferredEffect }[];
	readonly paths: PathMatcher;
	readonly own: SelfProtection;
	readonly temporary: TemporaryPlaces;
	readonly git: GitView;
	readonly slow: SlowExpressions;
	/** For every effect rule whether a path is one that it leaves out. */
	readonly exceptPaths: ReadonlyMap<EffectRule, (path: string) => boolean>;
}

/** Compiles the rules of a session. The reader has made sure that every expression is valid. */
export function compileRules(options: GuardOptions): CompiledRules {
	const { rules, host } = options;
	const patterns = rules.commands.map(compileCommandRule);
	const paths: PathEnvironment & { agentDir: string | undefined } = {
		home: host.home,
		platform: host.platform,
		env: host.env,
		real: (path) => deepestReal(path, host),
		agentDir: options.agentDir,
	};
	const regexes = new Map(
		rules.paths.filter(({ syntax }) => syntax === "regex").map((rule) => [rule, new RegExp(rule.pattern)]),
	);
	return {
		...options,
		table: groupPatterns(patterns),
		meanings: inferEffects(patterns),
		// No file system has longer paths; the reader lets only expressions through that are cheap on so much.
		paths: compilePaths(rules, paths, (rule) => (path) => regexes.get(rule)?.test(path.slice(0, 4096)) ?? true),
		own: selfProtection(rules, paths),
		temporary: temporaryPlaces(host),
		git: openGitView(),
		slow: openSlowExpressions(),
		exceptPaths: new Map(rules.effects.map((rule) => [rule, anyOf(rule, rules, paths)])),
	};
}

function anyOf(rule: EffectRule, { foldCase }: RuleSet, host: PathEnvironment): (path: string) => boolean {
	const paths = rule.except
		.filter((written) => !/\S\s+\S/.test(written.trim()))
		.map((pattern) => ({ ...rule, kind: "path", limit: "zero", pattern, syntax: "glob" }) as const);
	const matcher = compilePaths({ paths, exceptions: [], matching: "segments", foldCase }, host, () => () => false);
	return (path) => matcher.rulesFor(path, "change").length > 0;
}

/** The real path of the deepest existing ancestor, plus the rest. */
function deepestReal(path: string, { realpath }: HostEnvironment): string {
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
