// What a run's events tell, as the report shows it: visits with their workers and waits, moves, money over time, people's words, what went
// wrong. Only data; `tell.ts` makes it out of a ledger. Times are milliseconds since the epoch.
import type { FileChange, LaunchId, LaunchReason, MoveCause, Run, Spend } from "../../core/index.ts";

export interface ReportModel {
	/** The run after the last event. */
	readonly run: Run;
	/** First and last event. */
	readonly beganAt: number;
	readonly endedAt: number;
	/** In order; empty where only the folded state was left. */
	readonly visits: readonly ReportedVisit[];
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

export interface ReportedVisit {
	readonly number: number;
	readonly state: string;
	readonly beganAt: number;
	/** `undefined`: the run is still in it. */
	readonly endedAt: number | undefined;
	readonly launches: readonly Launch[];
	readonly waits: readonly Wait[];
	readonly spend: Spend;
	readonly activeMs: number;
	readonly toolCalls: number;
	readonly summary: string;
	readonly files: VisitFileChanges;
	/** How it was left: the move, or the end of the run. */
	readonly left: NumberedMove | undefined;
}

export interface VisitFileChanges {
	/** Trees at its start and after its last worker; `undefined` where they were not measured. */
	readonly from: string | undefined;
	readonly to: string | undefined;
	readonly changes: readonly FileChange[];
	/** Changes that the ledger does not list. */
	readonly more: number;
	/** Why files could not be measured. */
	readonly unmeasured: string | undefined;
}

/** One worker process. */
export interface Launch extends LaunchId {
	readonly because: LaunchReason;
	readonly startedAt: number | undefined;
	/** `undefined`: it was at work at the last event. */
	readonly endedAt: number | undefined;
	readonly model: string | undefined;
	readonly end: LaunchEnd;
}

export interface LaunchEnd {
	readonly kind: "moved" | "rejected" | "stopped" | "crashed" | "timed_out" | "lost" | "unstarted" | "working";
	/** A phrase. */
	readonly words: string;
}

/** Time in which nothing was done because somebody had to do something first. */
export interface Wait {
	/** `interrupted`: no supervisor was there. `over`: the run had ended, and was opened again. */
	readonly kind: "approval" | "paused" | "budget" | "human" | "interrupted" | "over";
	readonly from: number;
	readonly to: number;
}

export interface NumberedMove {
	/** From 1. */
	readonly number: number;
	readonly from: string;
	readonly to: string;
	readonly cause: MoveCause;
	readonly at: number;
	readonly refused: string | undefined;
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
