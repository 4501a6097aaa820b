// For each limit of a chronicle: a run that reaches it, or the reason why none can. Pure.

import type { Template } from "../../chronicle/index.ts";
import { counted } from "../../definition/index.ts";
import type { Cue, Script, ScriptedCall } from "../scenario.ts";
import { cue } from "../scenario.ts";
import { attemptsOf, endWith, endWithAttempts, exitTo, type Facts, keyOfApproval } from "./chronicle-script.ts";
import { type CoverageItem, type CoveragePlan, type Excluded, type PlannedRun, rejection } from "./coverage.ts";
import { countedPairs, type LimitPath, pathToMoveLimit, pathToPairLimit } from "./limit-paths.ts";
import { pathTo } from "./paths.ts";

/** Limits above this are not tested, because it would take too long. */
export const maxTried = 2000;
/** Visits are counted from the history of a run, which keeps 100 moves. */
const longestPath = 95;

/** A script that reaches the limit, the reason why none can, or the reason why it is not tested. */
type Attempt = { readonly script: Script } | { readonly why: string } | { readonly skipped: string };
type Path = readonly string[];

interface Limit {
	readonly item: CoverageItem;
	readonly attempt: Attempt;
}

/** Plans a run for each limit of the template. */
export function planChronicleLimits(facts: Facts): CoveragePlan {
	const limits = [...moveLimits(facts), ...visitLimits(facts), ...stateLimits(facts), ...spendLimits(facts.template)];
	const items: CoverageItem[] = [];
	const unreachable: Excluded[] = [];
	const skipped: Excluded[] = [];
	const runs: PlannedRun[] = [];
	for (const { item, attempt } of limits) {
		if ("why" in attempt) unreachable.push({ ...item, why: attempt.why });
		else if ("skipped" in attempt) skipped.push({ ...item, why: attempt.skipped });
		else {
			items.push(item);
			runs.push({ title: `limit: ${item.text}`, covers: [item.id], script: attempt.script });
		}
	}
	return { items, unreachable, skipped, runs };
}

function limit(name: string, text: string, attempt: Attempt): Limit {
	return { item: { id: `limit:${name}`, group: "limit", text }, attempt };
}

function moveLimits(facts: Facts): Limit[] {
	const { graph } = facts;
	const scripted = (found: LimitPath): Attempt => {
		if (found.kind === "unreachable") return { why: found.why };
		if (found.kind === "cut-off") return { skipped: "the search for a path was cut off" };
		if (found.states.length > longestPath) return { skipped: `it takes more than ${longestPath} visits` };
		return { script: endWith(facts, found.states.slice(0, -1), [exitTo(found.states.at(-1) ?? "")]) };
	};
	return [
		...countedPairs(graph).map((pair) => {
			const text = `${counted(graph.maxMovesBetween(...pair), "move")} between ${pair.join(" and ")}`;
			return limit(`pair:${pair.join(" <-> ")}`, text, scripted(pathToPairLimit(graph, pair)));
		}),
		limit("moves", counted(graph.maxMoves, "move"), scripted(pathToMoveLimit(graph))),
	];
}

interface Host {
	readonly name: string;
	readonly path: Path;
	readonly polling: boolean;
	readonly own: Template["states"] extends ReadonlyMap<string, infer Plan>
		? Plan extends { readonly limits: infer Limits }
			? Limits
			: never
		: never;
}

/** Reachable states with a worker, nearest first. */
function hostsOf({ template, graph }: Facts): Host[] {
	return [...template.states.values()]
		.flatMap(({ name, persona, polling, limits: own }): Host[] => {
			const path = persona === undefined ? undefined : pathTo(graph, name);
			return path ? [{ name, path, polling, own }] : [];
		})
		.sort((a, b) => a.path.length - b.path.length);
}

/** The limits of every visit: each is tested in the nearest state that it applies to. */
function visitLimits(facts: Facts): Limit[] {
	const { template } = facts;
	const { limits } = template;
	const hosts = hostsOf(facts);
	const [first] = hosts;
	const inHost = (host: Host | undefined, last: (host: Host) => readonly Cue[], why = noHost): Attempt =>
		host ? { script: endWith(facts, host.path, last(host)) } : { why };
	const circling = hosts.find(({ polling, own }) => !polling && (own.calls ?? limits.calls) >= sameCalls);
	const stuck = hosts.find(({ name, polling }) => !polling && attemptsOf(template, name) >= limits.noProgress);
	return [
		limit(
			"attempts",
			counted(limits.attempts, "attempt"),
			attempts(facts, hosts.find(({ own }) => own.attempts === undefined)?.path, limits.attempts),
		),
		limit(
			"no_progress",
			`${counted(limits.noProgress, "attempt")} without progress`,
			inHost(stuck, ({ name }) => [exitTo(name)], "the limit on attempts comes first"),
		),
		limit("rejections", counted(limits.rejections, "rejection"), rejections(facts)),
		limit(
			"retries",
			`${counted(limits.retries, "retry", "retries")} after a failure`,
			inHost(first, () => repeat(5 * (limits.retries + 2), failure)),
		),
		limit(
			"nudges",
			counted(limits.nudges, "reminder"),
			inHost(first, () => repeat(limits.nudges + 3, silence)),
		),
		limit(
			"circling",
			"the same call again and again",
			inHost(circling, () => repeat(2, () => sameCall), circlingFirst),
		),
		useLimit(
			facts,
			"requests",
			hosts.find(({ own }) => own.requests === undefined),
			limits,
		),
		useLimit(
			facts,
			"calls",
			hosts.find(({ own }) => own.calls === undefined),
			limits,
		),
	];
}

/** The limits of single states. */
function stateLimits(facts: Facts): Limit[] {
	const { states, limits } = facts.template;
	const hosts = hostsOf(facts);
	return [...states.values()].flatMap(({ name, limits: own }) => {
		const host = hosts.find((one) => one.name === name);
		const use = { requests: own.requests ?? limits.requests, calls: own.calls ?? limits.calls };
		const text = own.attempts === undefined ? "" : `${counted(own.attempts, "attempt")} of ${name}`;
		return [
			...(own.attempts === undefined
				? []
				: [limit(`attempts of ${name}`, text, attempts(facts, host?.path, own.attempts))]),
			...(own.requests === undefined ? [] : [useLimit(facts, "requests", host, use, name)]),
			...(own.calls === undefined ? [] : [useLimit(facts, "calls", host, use, name)]),
		];
	});
}

const noHost = "no path leads to a state that it applies to";

/** Different attempts: otherwise the limit on attempts without progress comes first. */
function attempts(facts: Facts, path: Path | undefined, max: number): Attempt {
	if (!path) return { why: noHost };
	if (max > maxTried) return { skipped: tooMany };
	const state = path.at(-1) ?? "";
	const each = Array.from({ length: max }, (_, at) => [exitTo(state, undefined, ` ${letters(at)}`)]);
	return { script: endWithAttempts(facts, path, each) };
}

const tooMany = `a rehearsal tests limits of up to ${maxTried.toLocaleString("en-US")}`;

/** The number in letters: summaries that differ in digits only count as the same. */
function letters(number: number): string {
	return number.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
}

function rejections(facts: Facts): Attempt {
	const { template, graph } = facts;
	const asked = [...template.states.values()]
		.flatMap(({ name, next, terminal, persona }) =>
			persona === undefined ? [] : (terminal ? ["done"] : next).map((to) => ({ name, to })),
		)
		.filter(({ name, to }) => name !== to && keyOfApproval(template, name, to) !== undefined)
		.flatMap(({ name, to }) => {
			const path = pathTo(graph, name);
			return path ? [{ path, to }] : [];
		})
		.sort((a, b) => a.path.length - b.path.length)[0];
	if (!asked) return { why: "no transition needs an approval" };
	const { rejections: max } = template.limits;
	if (max > maxTried) return { skipped: tooMany };
	return {
		script: endWith(
			facts,
			asked.path,
			repeat(max, () => exitTo(asked.to, rejection)),
		),
	};
}

/** Requests to the model, or calls of tools, in one visit. */
function useLimit(
	facts: Facts,
	what: "requests" | "calls",
	host: Host | undefined,
	limits: { readonly requests: number; readonly calls: number },
	state?: string,
): Limit {
	const max = limits[what];
	const of = state === undefined ? "" : ` of ${state}`;
	const text = `${max.toLocaleString("en-US")} ${what} in a visit${of}`;
	const attempt = (): Attempt => {
		if (!host) return { why: noHost };
		if (max > maxTried) return { skipped: tooMany };
		const perMessage = what === "calls" ? Math.max(1, Math.ceil(max / Math.max(1, limits.requests - 2))) : 1;
		if (what === "requests" && limits.calls <= max) return { why: "the limit on calls comes first" };
		const messages = Math.ceil(max / perMessage) + 2;
		return {
			script: endWith(
				facts,
				host.path,
				repeat(messages, (at) => differentCalls(at, perMessage)),
			),
		};
	};
	return limit(`${what}${of}`, text, attempt());
}

/** Limits on cost, tokens and time, which a rehearsal cannot reach. */
function spendLimits({ limits, states }: Template): Limit[] {
	const ceilings = (of: string, { costUsd, tokens, activeMs }: typeof limits | Host["own"]): Limit[] => [
		...(costUsd === undefined ? [] : [limit(`cost${of}`, `$${costUsd}${of}`, { why: "the understudy costs nothing" })]),
		...(tokens === undefined
			? []
			: [
					limit(`tokens${of}`, `${tokens.toLocaleString("en-US")} tokens${of}`, {
						why: "the understudy uses no model tokens",
					}),
				]),
		...(activeMs === undefined
			? []
			: [limit(`minutes${of}`, `${counted(activeMs / 60_000, "minute")}${of}`, { why: noWait })]),
	];
	return [
		...ceilings("", limits),
		...[...states.values()].flatMap(({ name, limits: own }) => ceilings(` of ${name}`, own)),
		limit("timeouts", "the time limits of workers", { why: noWait }),
	];
}

const noWait = "a rehearsal does not wait that long";

function repeat(times: number, message: (at: number) => Cue): Cue[] {
	return Array.from({ length: times }, (_, at) => message(at));
}

function failure(): Cue {
	return cue({ fail: "The understudy fails on purpose." });
}

function silence(): Cue {
	return cue({ say: "I stop here, without a transition." });
}

/** Number of identical calls that stops a visit. */
export const sameCalls = 6;
export const circlingFirst = "every visit polls, or reaches its limit on calls first";

/** All in one message, so that the limit on requests does not come first. */
export const sameCall = cue({
	calls: Array<ScriptedCall>(sameCalls).fill({ tool: "rehearsal_probe", input: {}, undeclared: true }),
});

/** Calls that differ from those of all other messages. Calls of a tool that does not exist count too. */
export function differentCalls(at: number, many: number): Cue {
	const calls = Array.from(
		{ length: many },
		(_, of): ScriptedCall => ({
			tool: "rehearsal_probe",
			input: { call: at * many + of },
			undeclared: true,
		}),
	);
	return cue({ calls });
}
