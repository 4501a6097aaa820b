// What a run's events tell, as the report shows it: visits with their workers and waits, moves, money over time, people's words, what went
// wrong. Only data; `tell.ts` makes it out of a ledger. Times are milliseconds since the epoch.
import type { NumberedMove, Run, Spend, Visit } from "../../core/index.ts";

export interface ReportModel {
	/** The run after the last event. */
	readonly run: Run;
	/** First and last event. */
	readonly beganAt: number;
	readonly endedAt: number;
	/** In order; empty where only the folded state was left. */
	readonly visits: readonly Visit[];
	readonly moves: readonly NumberedMove[];
	/** By state, in the order in which they were first visited. */
	readonly states: ReadonlyMap<string, StateFigures>;
	/** Totals after each report of spend. */
	readonly spending: readonly SpendPoint[];
	/** Ceilings of the whole run, and from when on they held. */
	readonly ceilings: readonly Ceiling[];
	readonly people: readonly PersonDecision[];
	readonly blocked: readonly BlockedCall[];
	readonly questions: readonly WorkerQuestionRecord[];
	readonly incidents: readonly Incident[];
	readonly tools: readonly ToolFigures[];
	/** What could not be read, in sentences. */
	readonly gaps: readonly string[];
}

export interface StateFigures {
	readonly visits: number;
	readonly attempts: number;
	readonly activeMs: number;
	readonly toolCalls: number;
	readonly spend: Spend;
}

export interface SpendPoint {
	readonly at: number;
	readonly tokens: number;
	readonly costUsd: number;
}

export interface Ceiling {
	readonly at: number;
	readonly tokens: number | undefined;
	readonly costUsd: number | undefined;
}

/** What happened, where and when. */
interface Happening {
	readonly at: number;
	readonly visit: number;
	readonly state: string;
}

export interface PersonDecision extends Happening {
	readonly what: string;
	readonly words: string;
}

export interface BlockedCall extends Happening {
	readonly tool: string;
	readonly args: string;
	readonly rule: string;
}

export interface WorkerQuestionRecord extends Happening {
	readonly title: string;
	readonly text: string;
	/** `open`: nobody had answered at the last event, or when its worker ended. */
	readonly verdict: "allowed" | "denied" | "answered" | "unanswered" | "open";
}

export interface Incident extends Happening {
	readonly what: string;
	readonly tone: "bad" | "warn" | "plain";
}

export interface ToolFigures {
	readonly tool: string;
	readonly calls: number;
	readonly failed: number;
	readonly blocked: number;
	readonly ms: number;
	readonly longestMs: number;
	readonly bytes: number;
}
