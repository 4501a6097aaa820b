// The only place that adds figures to a run: cost, tokens, time, calls.
// Figures added to the totals are also added to their state and visit, even if the run has left that visit.

import type { ChildRun } from "../run/child-group.ts";
import type { MoveMetrics, Run, StateTotals } from "../run/run.ts";
import { addSpend, NO_SPEND, type Spend } from "../run/spend.ts";
import { activityMs } from "./child-activity.ts";
import { difference, workedMs } from "./worked-time.ts";

export interface Figures {
	readonly spend?: Spend;
	readonly activeMs?: number;
	readonly attempts?: number;
	readonly toolCalls?: number;
	readonly refused?: number;
}

export const NO_STATE_TOTALS: StateTotals = {
	visits: 0,
	attempts: 0,
	tokens: 0,
	costUsd: 0,
	activeMs: 0,
	cacheRead: 0,
};

/** Adds figures of `state` in `visit` to the run, the state and the visit. */
export function addToTotals(run: Run, state: string, visit: number, figures: Figures): Run {
	const { spend = NO_SPEND, activeMs = 0, attempts = 0, toolCalls = 0, refused = 0 } = figures;
	const totals = run.totals;
	const own = run.states[state] ?? NO_STATE_TOTALS;
	const metrics = <T extends MoveMetrics>(of: T): T => ({
		...of,
		attempts: of.attempts + attempts,
		tokens: of.tokens + spend.tokens,
		costUsd: addSpend({ ...NO_SPEND, costUsd: of.costUsd }, spend).costUsd,
		activeMs: of.activeMs + activeMs,
		toolCalls: of.toolCalls + toolCalls,
	});
	const here = visit === run.visit;
	return {
		...run,
		totals: {
			...addSpend(totals, spend),
			activeMs: totals.activeMs + activeMs,
			toolCalls: totals.toolCalls + toolCalls,
			attempts: totals.attempts + attempts,
			...refusedCalls(totals, refused),
		},
		states: {
			...run.states,
			[state]: {
				visits: own.visits,
				attempts: own.attempts + attempts,
				tokens: own.tokens + spend.tokens,
				costUsd: addSpend({ ...NO_SPEND, costUsd: own.costUsd }, spend).costUsd,
				activeMs: own.activeMs + activeMs,
				cacheRead: own.cacheRead + spend.cacheRead,
				...uncounted("unmeteredTokens", own, spend),
				...uncounted("unreportedAnswers", own, spend),
			},
		},
		visitRecord: here ? metrics(run.visitRecord) : run.visitRecord,
		history: here
			? run.history
			: run.history.map((move) => (move.visit === visit ? { ...move, metrics: metrics(move.metrics) } : move)),
	};
}

type Uncounted = "unmeteredTokens" | "unreportedAnswers";

/** The sum of a figure that is absent if it is 0. */
function uncounted(figure: Uncounted, own: StateTotals, spend: Spend): Partial<Record<Uncounted, number>> {
	const sum = (own[figure] ?? 0) + (spend[figure] ?? 0);
	return sum > 0 ? { [figure]: sum } : {};
}

/** The sum of refused calls, which is absent if it is 0. */
function refusedCalls({ refused: before = 0 }: Run["totals"], refused: number): Pick<Run["totals"], "refused"> {
	return before + refused > 0 ? { refused: before + refused } : {};
}

/** Adds one tool call of `visit`. */
export function addToolCall(run: Run, visit: number, isRefused: boolean): Run {
	const one = <T extends { readonly toolCalls: number }>(of: T): T => ({ ...of, toolCalls: of.toolCalls + 1 });
	const totals = { ...one(run.totals), ...refusedCalls(run.totals, isRefused ? 1 : 0) };
	if (visit === run.visit) return { ...run, totals, visitRecord: one(run.visitRecord) };
	const history = run.history.map((move) => (move.visit === visit ? { ...move, metrics: one(move.metrics) } : move));
	return { ...run, totals, history };
}

/** Excludes a clock jump of `ms` from the time of the worker, or of the workers of the children. */
export function skipTime(run: Run, ms: number): Run {
	const { stage, children } = run;
	if (stage.kind === "children" && children) {
		const later = children.children.map((child) => skipChildTime(child, ms));
		return { ...run, children: { ...children, children: later } };
	}
	if ((stage.kind !== "working" && stage.kind !== "stopping") || stage.startedAt === "") return run;
	// Time with an open question does not count anyway: it must not be subtracted twice.
	if (stage.askedAt)
		return {
			...run,
			stage: { ...stage, askedAt: shiftTime(stage.askedAt, ms), uncountedMs: (stage.uncountedMs ?? 0) + ms },
		};
	return { ...run, stage: { ...stage, uncountedMs: (stage.uncountedMs ?? 0) + ms } };
}

function skipChildTime(child: ChildRun, ms: number): ChildRun {
	const { activity } = child;
	if (activity?.since === undefined) return child;
	return { ...child, activity: { ...activity, since: shiftTime(activity.since, ms) } };
}

function shiftTime(at: string, ms: number): string {
	return new Date(Date.parse(at) + ms).toISOString();
}

/** Updates the counted time after the worker asked a question, or its last open one was answered, at `at`. */
export function countQuestions(run: Run, at: string): Run {
	const { stage, questions, question } = run;
	if ((stage.kind !== "working" && stage.kind !== "stopping") || stage.startedAt === "") return run;
	const { askedAt, ...counted } = stage;
	if (questions.length > 0 || (question && question.answer === null))
		return askedAt ? run : { ...run, stage: { ...stage, askedAt: at } };
	if (!askedAt) return run;
	const uncountedMs = (stage.uncountedMs ?? 0) + Math.max(0, difference(askedAt, at));
	return { ...run, stage: { ...counted, uncountedMs } };
}

/**
 * The totals of a run up to `now` (ISO 8601), including the time of the current worker, or of the workers of its children. For display; the
 * stored totals lag behind.
 */
export function liveTotals(run: Run, now: string): Run["totals"] {
	return { ...run.totals, activeMs: run.totals.activeMs + runningMs(run, now) };
}

/** Milliseconds of the worker, or of the workers of the children, up to `now` (ISO 8601) that are in no totals yet. */
export function runningMs({ stage, children }: Run, now: string): number {
	if (stage.kind === "working" || stage.kind === "stopping") return workedMs(stage, now);
	if (stage.kind !== "children") return 0;
	return (children?.children ?? []).reduce((sum, { activity }) => sum + activityMs(activity, now), 0);
}
