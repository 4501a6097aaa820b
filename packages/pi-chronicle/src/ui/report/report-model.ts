// The data of a report: visits with their workers and waits, moves, figures of states, decisions of users, incidents. `read-model.ts` reads it
// from a ledger. Times are milliseconds since the epoch.
import type { NumberedMove, Visit } from "@pi-chronicle/core/history";
import type { ChildSpend, Run } from "@pi-chronicle/core/machine";
import type { Incident, UserAction } from "../phrases/index.ts";
import type { VisitWork } from "./visit-work.ts";

export interface ReportModel {
	readonly run: Run;
	/** Times of the first and the last event. */
	readonly beganAt: number;
	readonly endedAt: number;
	/** In order; empty if only the folded state is available. */
	readonly visits: readonly Visit[];
	readonly moves: readonly NumberedMove[];
	/** By state, in the order of the first visit. */
	readonly states: ReadonlyMap<string, StateFigures>;
	readonly decisions: readonly (UserAction & Happening)[];
	readonly blocked: readonly BlockedCall[];
	readonly questions: readonly WorkerQuestionRecord[];
	readonly incidents: readonly (Incident & Happening)[];
	readonly tools: readonly ToolFigures[];
	/** What a visit did, in order. */
	workOf(visit: number): VisitWork;
	readonly gaps: readonly string[];
}

export interface StateFigures extends Omit<ChildSpend, "refused"> {
	readonly visits: number;
}

/** The time, visit and state of an entry. */
export interface Happening {
	readonly at: number;
	readonly visit: number;
	readonly state: string;
}

interface BlockedCall extends Happening {
	readonly tool: string;
	readonly args: string;
	readonly rule: string;
}

export interface WorkerQuestionRecord extends Happening {
	readonly title: string;
	readonly text: string;
	/** `open`: unanswered at the last event, or when its worker ended. */
	readonly verdict: "allowed" | "denied" | "answered" | "unanswered" | "open";
	/** The answer to a question of `ask_user`. */
	readonly words?: string | undefined;
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
