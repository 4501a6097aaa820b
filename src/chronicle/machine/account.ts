// The one place where figures are added to a run: money, tokens, time, calls.
// A1 whatever is added to the totals is added to the state and to the visit that it belongs to, also when that visit has been left.
import type { MoveMetrics, Run, StateTotals } from "./run.ts";
import { addSpend, NO_SPEND, type Spend } from "./spend.ts";

export interface Figures {
	readonly spend?: Spend;
	readonly activeMs?: number;
	readonly attempts?: number;
}

export const NO_STATE_TOTALS: StateTotals = {
	visits: 0,
	attempts: 0,
	tokens: 0,
	costUsd: 0,
	activeMs: 0,
	cacheRead: 0,
};

/** Adds figures of `state` in `visit`. */
export function account(run: Run, state: string, visit: number, figures: Figures): Run {
	const { spend = NO_SPEND, activeMs = 0, attempts = 0 } = figures;
	const totals = run.totals;
	const own = run.states[state] ?? NO_STATE_TOTALS;
	const metrics = <T extends MoveMetrics>(of: T): T => ({
		...of,
		attempts: of.attempts + attempts,
		tokens: of.tokens + spend.tokens,
		costUsd: addSpend({ ...NO_SPEND, costUsd: of.costUsd }, spend).costUsd,
		activeMs: of.activeMs + activeMs,
	});
	const here = visit === run.visit;
	return {
		...run,
		totals: {
			...addSpend(totals, spend),
			activeMs: totals.activeMs + activeMs,
			toolCalls: totals.toolCalls,
			attempts: totals.attempts + attempts,
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
			},
		},
		visitRecord: here ? metrics(run.visitRecord) : run.visitRecord,
		history: here
			? run.history
			: run.history.map((move) => (move.visit === visit ? { ...move, metrics: metrics(move.metrics) } : move)),
	};
}

/** Adds one tool call of `visit`. */
export function countCall(run: Run, visit: number): Run {
	const one = <T extends { readonly toolCalls: number }>(of: T): T => ({ ...of, toolCalls: of.toolCalls + 1 });
	const totals = one(run.totals);
	if (visit === run.visit) return { ...run, totals, visitRecord: one(run.visitRecord) };
	const history = run.history.map((move) => (move.visit === visit ? { ...move, metrics: one(move.metrics) } : move));
	return { ...run, totals, history };
}

/** Milliseconds between two times of events, never below zero; 0 where one is missing. */
export function between(from: string, to: string): number {
	return from === "" || to === "" ? 0 : Math.max(0, Date.parse(to) - Date.parse(from));
}

/** What a run has spent up to `now` (ISO 8601), with the time of the worker that is at work. For showing; the totals lag behind it. */
export function liveTotals(run: Run, now: string): Run["totals"] {
	const { stage } = run;
	const since = stage.kind === "working" || stage.kind === "leaving" ? stage.startedAt : "";
	return { ...run.totals, activeMs: run.totals.activeMs + between(since, now) };
}
