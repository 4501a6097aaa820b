// A rule set compiled for judging: expressions compiled, paths indexed, effects inferred. Done once for the rules of a session.

import type { WorkingCopy } from "@pi-chronicle/core/ports";
import type { Footprint, HostEnvironment } from "@pi-chronicle/footprint";
import { copyPath, projectPath } from "../../copied-project.ts";
import { type TemporaryPlaces, temporaryPlaces } from "../../places.ts";
import type { ToolCall } from "../../policy/index.ts";
import type { CommandRule, EffectRule, RuleSet } from "../rules/index.ts";
import { type CommandTrials, groupPatterns, type PatternGroups } from "./command-matcher.ts";
import { compileCommandRule } from "./command-pattern.ts";
import { type GitView, openGitView } from "./git-view.ts";
import { type InferredEffect, inferEffects } from "./inferred-effects.ts";
import { compilePaths, type PathMatcher } from "./path-matcher.ts";
import type { PathEnvironment } from "./path-pattern.ts";
import { openSelfProtection, type SelfProtection } from "./self-protection.ts";
import { openTimedRuns, type TimedRuns } from "./timed-runs.ts";

export interface GuardOptions {
	readonly rules: RuleSet;
	readonly host: HostEnvironment;
	/** pi's agent folder. */
	readonly agentDir: string | undefined;
	/** The copy of the project that the agent works in. */
	readonly copy?: WorkingCopy | undefined;
	/** Measures another call: a script that is written, or a call whose result is screened. */
	readonly measure: (call: ToolCall) => Footprint;
}

export interface CompiledRules extends GuardOptions {
	readonly patterns: PatternGroups;
	readonly inferred: readonly { readonly rule: CommandRule; readonly means: InferredEffect }[];
	readonly paths: PathMatcher;
	readonly selfProtection: SelfProtection;
	readonly temporary: TemporaryPlaces;
	readonly git: GitView;
	/** The paths that rules may cover among lists of tracked files. */
	readonly tracked: WeakMap<readonly string[], readonly string[]>;
	readonly trials: CommandTrials;
	/** Per effect rule: whether the rule excludes a path. */
	readonly exceptPaths: ReadonlyMap<EffectRule, (path: string) => boolean>;
}

/** Compiles the rules of a session. The reader has made sure that every expression is valid. */
export function compileRules(options: GuardOptions): CompiledRules {
	const { rules, host } = options;
	const patterns = rules.commands.map(compileCommandRule);
	const runs = openTimedRuns();
	const { copy } = options;
	const paths: PathEnvironment & Pick<GuardOptions, "agentDir" | "copy"> = {
		home: host.home,
		platform: host.platform,
		env: host.env,
		real: (path) => deepestReal(path, host),
		agentDir: options.agentDir,
		copy,
	};
	return {
		...options,
		patterns: groupPatterns(patterns),
		inferred: inferEffects(patterns, runs),
		paths: forCopy(
			compilePaths(rules, paths, ({ pattern }) => pathTest(pattern, runs)),
			copy,
		),
		selfProtection: openSelfProtection(rules, paths),
		temporary: temporaryPlaces(host),
		git: openGitView(),
		tracked: new WeakMap(),
		trials: { runs, slow: new Set() },
		exceptPaths: new Map(rules.effects.map((rule) => [rule, anyOf(rule, rules, paths)])),
	};
}

/** Paths tested in one timed run: starting it takes some 100 µs. */
const RUN_SIZE = 50;

/** Finds the paths that an expression matches. One that has exceeded the time limit matches every path from then on. */
function pathTest(pattern: string, runs: TimedRuns): (paths: readonly string[]) => ReadonlySet<string> {
	const expression = new RegExp(pattern);
	let isSlow = false;
	return (paths) => {
		if (isSlow) return new Set(paths);
		const matching = new Set<string>();
		const test = (path: string): void => {
			if (isSlow || expression.test(path)) matching.add(path);
		};
		const late = (path: string): "go on" => {
			isSlow = true;
			matching.add(path);
			return "go on";
		};
		for (let at = 0; at < paths.length; at += RUN_SIZE) runs.each(paths.slice(at, at + RUN_SIZE), test, late);
		return matching;
	};
}

function anyOf(
	rule: EffectRule,
	{ foldCase }: RuleSet,
	host: PathEnvironment & Pick<GuardOptions, "copy">,
): (path: string) => boolean {
	const paths = rule.except
		.filter((written) => !/\S\s+\S/.test(written.trim()))
		.map((pattern) => ({ ...rule, kind: "path", limit: "zero", pattern, syntax: "glob" }) as const);
	const matcher = compilePaths({ paths, exceptions: [], matching: "segments", foldCase }, host, () => () => new Set());
	return (path) => matcher.rulesFor(projectPath(path, host.copy), "change").length > 0;
}

/** The rules for paths of a copy: those for the same files in the project. */
function forCopy(paths: PathMatcher, copy: WorkingCopy | undefined): PathMatcher {
	if (!copy) return paths;
	return {
		...paths,
		rulesFor: (path, access) => paths.rulesFor(projectPath(path, copy), access),
		mayMatch(places) {
			const found = paths.mayMatch(places.map((path) => projectPath(path, copy)));
			return new Set(places.filter((path) => found.has(projectPath(path, copy))));
		},
		placesBelow: (directory, wanted) =>
			paths.placesBelow(projectPath(directory, copy), wanted).map((place) => copyPath(place, copy)),
	};
}

/** The real path of the deepest existing ancestor, with the rest appended. */
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
