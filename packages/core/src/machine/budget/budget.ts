// Limits: the remaining allowance, reached limits, and warnings.
// A limit set by the user replaces the template's; a state has its own limits in addition to the run's, and the tighter one applies.

import { NO_USE, type VisitLimits } from "../../bounds/index.ts";
import { percent, shortCost, shortTime } from "../../definition/index.ts";
import { DEFAULT_CEILINGS } from "../../template/index.ts";
import { planOf } from "../plan/plan.ts";
import type { Allowance, Ceilings } from "../run/ceilings.ts";
import type { ChildRun } from "../run/child-group.ts";
import type { Run } from "../run/run.ts";
import { activityMs, workersBelow } from "./child-activity.ts";
import { liveTotals, runningMs } from "./totals.ts";

const figures = ["costUsd", "tokens", "activeMs"] as const;

export type SpendFigures = Pick<Ceilings, (typeof figures)[number]>;

export interface TreeCeilings {
	/** What all parents together still leave. */
	readonly left: SpendFigures;
	/** What of the child's use `left` includes. */
	readonly counted: Required<SpendFigures>;
	/** Whether `tokens` include tokens read from the cache. */
	readonly countCacheReads: boolean;
}

type UsedFigures = Pick<Run["totals"], "costUsd" | "tokens" | "cacheRead" | "activeMs">;

/** What `child` of `parent` may use as of `now` (ISO 8601). `outer`: what the parent's own parents still leave it. */
export function ceilingsOf(
	parent: Run,
	child: Pick<ChildRun, "counted" | "activity">,
	now: string,
	outer?: SpendFigures,
): TreeCeilings {
	const { spend, activeMs } = child.counted;
	const { countCacheReads } = parent.plan.limits;
	return {
		left: leastOf(allowanceOf(parent, now), outer),
		counted: usedOf({ ...spend, activeMs: activeMs + activityMs(child.activity, now) }, countCacheReads),
		countCacheReads,
	};
}

/** What the child `run` may still use as of `now` (ISO 8601). */
export function remainderOf({ left, counted, countCacheReads }: TreeCeilings, run: Run, now: string): SpendFigures {
	const used = usedOf(liveTotals(run, now), countCacheReads);
	// Where the tree counts tokens differently from the child, only the tree's own count can tell when they are used up.
	const isComparable = countCacheReads === run.plan.limits.countCacheReads;
	const rest = figures.flatMap((figure) => {
		const most = left[figure];
		if (most === undefined || (figure === "tokens" && !isComparable)) return [];
		return [[figure, Math.max(0, most - (used[figure] - counted[figure]))] as const];
	});
	return Object.fromEntries(rest);
}

function usedOf(
	{ costUsd, tokens, cacheRead, activeMs }: UsedFigures,
	countCacheReads: boolean,
): Required<SpendFigures> {
	return { costUsd, tokens: countCacheReads ? tokens : tokens - cacheRead, activeMs };
}

/** The smaller of each figure. */
export function leastOf(own: SpendFigures, outer: SpendFigures | undefined): SpendFigures {
	const least = figures.flatMap((figure) => {
		const limits = [own[figure], outer?.[figure]].filter((limit) => limit !== undefined);
		return limits.length === 0 ? [] : [[figure, Math.min(...limits)] as const];
	});
	return Object.fromEntries(least);
}

/** Milliseconds until the workers of the children use up the time of the run; `undefined`: none works, or no limit applies. */
export function childTimeLeft(run: Run, now: string): number | undefined {
	const working = workersBelow(run);
	const { activeMs } = allowanceOf(run, now);
	return run.stage.kind !== "children" || working === 0 || activeMs === undefined ? undefined : activeMs / working;
}

/** A figure counted against a limit. */
export interface Measure {
	/** `cost` or `cost of planning`; stable. */
	readonly name: string;
	/** The state that the limit applies to; `undefined` for the run. */
	readonly state: string | undefined;
	readonly figure: "costUsd" | "tokens" | "activeMs";
	readonly spent: number;
	readonly ceiling: number;
}

const words = { costUsd: "cost", tokens: "tokens", activeMs: "time" };

/** Every limit that applies in the current state, with the amount spent, including time up to `now`. */
export function measures(run: Run, now = ""): Measure[] {
	const running = runningMs(run, now);
	const counted = (of: { tokens: number; cacheRead: number; costUsd: number; activeMs: number }) => ({
		costUsd: of.costUsd,
		tokens: run.plan.limits.countCacheReads ? of.tokens : of.tokens - of.cacheRead,
		activeMs: of.activeMs + running,
	});
	const total = counted(run.totals);
	const state = counted(run.states[run.state] ?? { tokens: 0, cacheRead: 0, costUsd: 0, activeMs: 0 });
	const own: Ceilings = run.limits.states[run.state] ?? {};
	return figures.flatMap((figure) => [
		...measureOf(figure, undefined, total[figure], run.limits.run[figure] ?? run.plan.limits[figure]),
		...measureOf(figure, run.state, state[figure], own[figure] ?? planOf(run).limits[figure]),
	]);
}

function measureOf(
	figure: Measure["figure"],
	state: string | undefined,
	spent: number,
	ceiling: number | undefined,
): Measure[] {
	const name = state === undefined ? words[figure] : `${words[figure]} of ${state}`;
	return ceiling === undefined ? [] : [{ name, state, figure, spent, ceiling }];
}

/** The first limit that is reached. A limit of 0 is reached from the start, except on cost: models without a price may be used. */
export function reached(run: Run, now = ""): Measure | undefined {
	return measures(run, now).find(({ figure, spent, ceiling }) =>
		figure === "costUsd" && ceiling === 0 ? spent > 0 : spent >= ceiling,
	);
}

/** Explains in one sentence why the limit stops the run. */
export function explainReached({ name, figure, spent, ceiling }: Measure): string {
	if (ceiling === 0) return `The limit on ${name} is 0, so nothing may be spent.`;
	return `The limit on ${name} is reached: ${showFigure(figure, spent)} of ${showFigure(figure, ceiling)}.`;
}

/** What is spent, rounded up, so that a limit above it is enough. */
export function spentText({ figure, spent }: Measure): string {
	const unit = { costUsd: 0.01, tokens: 1, activeMs: 1000 }[figure];
	return showFigure(figure, Math.ceil(spent / unit - 1e-9) * unit);
}

function showFigure(figure: Measure["figure"], value: number): string {
	switch (figure) {
		case "costUsd":
			return shortCost(value);
		case "tokens":
			return `${value.toLocaleString("en-US")} tokens`;
		case "activeMs":
			return shortTime(value);
	}
}

/** A worker's remaining allowance: the smallest remainder of each figure. Omit `now` before a launch, when no worker is running. */
export function allowanceOf(run: Run, now = ""): Allowance {
	const left: { costUsd?: number; tokens?: number; activeMs?: number } = {};
	for (const { figure, spent, ceiling } of measures(run, now)) {
		const remainder = Math.max(0, Math.round((ceiling - spent) * 1e9) / 1e9);
		left[figure] = Math.min(left[figure] ?? remainder, remainder);
	}
	return { ...left, ...visitAllowance(run) };
}

/** The limits of one visit to the current state. */
export function visitLimits(run: Run): VisitLimits {
	const { limits, polling } = planOf(run);
	return {
		requests: limits.requests ?? run.plan.limits.requests,
		calls: limits.calls ?? run.plan.limits.calls,
		polling,
	};
}

/** Remaining requests and calls of the current visit, at least 1 each. */
function visitAllowance(run: Run): Pick<Allowance, "requests" | "calls"> {
	const { requests, calls } = visitLimits(run);
	const use = run.visitRecord.use ?? NO_USE;
	return { requests: Math.max(1, requests - use.requests), calls: Math.max(1, calls - use.calls) };
}

/** The limits that cannot stop the run, because a model that it has used reports no usage or has no price. */
export function unheldCeilings(run: Run): Measure[] {
	return measures(run).filter(({ figure, state, ceiling }) => {
		const { unreportedAnswers = 0, unmeteredTokens = 0 } = (state === undefined ? run.totals : run.states[state]) ?? {};
		if (figure === "activeMs") return false;
		// A limit of 0 on cost allows models without a price, and the default one was not written for them.
		const needsPrice = ceiling > 0 && ceiling !== DEFAULT_CEILINGS.costUsd;
		return unreportedAnswers > 0 || (figure === "costUsd" && unmeteredTokens > 0 && needsPrice);
	});
}

/** Adds a notice for the limits that no longer can stop the run. */
function warnOfUnheld(run: Run): Run {
	const marked = (name: string): string => `unheld ${name}`;
	const fresh = unheldCeilings(run).filter(({ name }) => !run.warned.includes(marked(name)));
	if (fresh.length === 0) return run;
	const { stage, totals } = run;
	const model = "worker" in stage && stage.worker ? stage.worker.model : "A model of this run";
	const [why, others] = totals.unreportedAnswers ? ["reports no usage", ""] : ["has no price", "tokens, "];
	const named = fresh.map(({ name }) => name).join(" and ");
	const text = `${model} ${why}, so the limit on ${named} cannot stop it. Limits on ${others}time, requests and calls still do.`;
	return notice({ ...run, warned: [...run.warned, ...fresh.map(({ name }) => marked(name))].slice(-200) }, text);
}

/** Adds a notice for each limit that has newly reached the warning threshold, or no longer can stop the run. */
export function warnOfCeilings(before: Run, now: string): Run {
	const run = warnOfUnheld(before);
	const near = measures(run, now).filter(
		({ name, spent, ceiling }) =>
			ceiling > 0 && spent >= ceiling * run.plan.limits.warnAt && !run.warned.includes(name),
	);
	if (near.length === 0) return run;
	const warn = ({ name, figure, spent, ceiling }: Measure): string =>
		`${percent(spent / ceiling)} of the limit on ${name} is used (${showFigure(figure, spent)} of ${showFigure(figure, ceiling)}).`;
	return near.reduce<Run>((warned, measure) => notice(warned, warn(measure)), {
		...run,
		warned: [...run.warned, ...near.map(({ name }) => name)].slice(-200),
	});
}

/** Adds a notice of at most 300 characters; keeps the last 10. */
export function notice(run: Run, text: string): Run {
	return { ...run, notices: [...run.notices, text.slice(0, 300)].slice(-10) };
}
