// A run as the fold of its events: everything the machine needs to go on, of bounded size whatever the history.
// Not the text of the checkpoint file: `ledger/checkpoint.ts` writes and reads that.
// N1 immutable; N2 `stage` alone says what the run is doing, `status` what a person sees of it; N3 every list here is bounded.
import type { VisitUse } from "../../../bounds/index.ts";
import type { FileLeft, Snapshot } from "../snapshot/index.ts";
import type { Template } from "../template/index.ts";
import type { DecisionEvent, Finished, MoveCause, ParkCause } from "./decision-event.ts";
import type { LaunchId, LaunchReason } from "./launch.ts";
import type { RewindRequested } from "./person-event.ts";
import type { Spend } from "./spend.ts";

export const SCHEMA_VERSION = 1;

export type RunStatus =
	| "running"
	| "awaiting_approval"
	| "paused"
	| "budget_exceeded"
	| "human_intervention"
	| "done"
	| "failed"
	| "aborted";

export interface Run {
	readonly schemaVersion: number;
	readonly id: string;
	readonly template: {
		readonly name: string;
		/** Of the definition's content, see `template/hash.ts`. */
		readonly hash: string;
		/** What the template's file says, word for word. */
		readonly definition: unknown;
		readonly file?: string;
	};
	/** `template.definition`, compiled. */
	readonly plan: Template;
	readonly task: string;
	readonly status: RunStatus;
	readonly state: string;
	/** The visit going on, counted over the whole run from 1. */
	readonly visit: number;
	/** The worker that tries or last tried this visit, from 1; 0 before the first. */
	readonly attempt: number;
	readonly snapshot: Snapshot;
	/** The last 100 moves, oldest first. */
	readonly history: readonly Move[];
	readonly totals: Totals;
	/** Committed moves per unordered pair since a person last released it, keyed as `pairKey` makes them. */
	readonly pairMoves: Readonly<Record<string, number>>;
	readonly updatedAt: string;
	readonly createdAt: string;
	/** `seq` of the last event. */
	readonly seq: number;
	readonly stage: Stage;
	/** Why the run must not launch anything more for now. */
	readonly hold: PauseReason | null;
	/** Per state, over all visits. */
	readonly states: Readonly<Record<string, StateTotals>>;
	readonly visitRecord: VisitRecord;
	/** Process that the attempt is at, from 1; 0 before the first. */
	readonly launch: number;
	/** Files at the start of this visit; `null`: not measured yet. */
	readonly baseline: Baseline | null;
	/** What this visit's attempts talk in; `null`: the next attempt begins a new one. */
	readonly conversation: ConversationState | null;
	readonly calls: Calls;
	/** Words that the worker has not had yet. */
	readonly outbox: readonly Message[];
	/** The move that brought the run to `human_intervention`. */
	readonly refused: { readonly from: string; readonly to: string; readonly cause: MoveCause } | null;
	/** Committed moves, ever, and since a person last released the cap. */
	readonly moves: { readonly total: number; readonly counted: number };
	/** Ceilings that a person has set in place of the template's. */
	readonly limits: { readonly run: Ceilings; readonly states: Readonly<Record<string, Ceilings>> };
	/** Ceilings for which a warning has been given. */
	readonly warned: readonly string[];
	readonly model: string | null;
	/** Hash of the cleanup texts that the person has approved. */
	readonly cleanupApproval: string | null;
	/** Hash of the template's cleanup texts; derived from the plan. */
	readonly cleanupHash: string | null;
	/** Questions of the worker that nobody has answered yet. */
	readonly questions: readonly { readonly id: number; readonly title: string }[];
	/** What a person should know and nothing else shows, newest last, at most 10. */
	readonly notices: readonly string[];
	/** States that rewinds took away, newest last, at most 8. */
	readonly kept: readonly KeptState[];
	/** Visits of which it is not known, or not wholly, what they changed, newest last, at most 8. */
	readonly unmeasured: readonly Unmeasured[];
}

/** The files and the run as they were just before a rewind; `rewind kept-<seq>` goes back there. */
export interface KeptState {
	/** `seq` of the event that kept it. */
	readonly seq: number;
	readonly at: string;
	readonly visit: number;
	readonly state: string;
	readonly tree: string;
	/** What the rewind did; `null`: it has not been finished, or has failed. */
	readonly rewound: {
		/** Files that it changed. */
		readonly files: number;
		/** Files that it did not bring back, the first of them by name. */
		readonly left: number;
		readonly leftFirst: readonly FileLeft[];
	} | null;
}

export interface Unmeasured {
	readonly visit: number;
	readonly state: string;
	readonly why: string;
}

export interface Ceilings {
	readonly costUsd?: number;
	readonly tokens?: number;
	readonly activeMs?: number;
	readonly moves?: number;
}

/** What one worker may spend at most. */
export interface Allowance extends Omit<Ceilings, "moves"> {
	/** Of this visit. */
	readonly requests?: number;
	readonly calls?: number;
}

export interface Totals extends Spend {
	/** Time in which workers worked. */
	readonly activeMs: number;
	readonly toolCalls: number;
	readonly attempts: number;
}

export interface StateTotals {
	readonly visits: number;
	readonly attempts: number;
	readonly tokens: number;
	readonly costUsd: number;
	readonly activeMs: number;
	readonly cacheRead: number;
}

export interface Move {
	readonly from: string;
	readonly to: string;
	readonly at: string;
	readonly cause: MoveCause;
	/** The worker's words, cut in older moves. */
	readonly summary: string;
	/** The visit that was left. */
	readonly visit: number;
	readonly metrics: MoveMetrics;
	readonly refused?: string;
}

/** Of the visit that was left. */
export interface MoveMetrics {
	readonly attempts: number;
	readonly tokens: number;
	readonly costUsd: number;
	readonly activeMs: number;
	readonly toolCalls: number;
}

export interface VisitRecord extends MoveMetrics {
	readonly startedAt: string;
	/** Attempts, crashes and reminders since a person last had a word in it. */
	readonly tries: number;
	readonly crashes: number;
	readonly nudges: number;
	readonly rejections: number;
	/** A person has allowed the state to begin. */
	readonly granted: boolean;
	/** How the last attempts ended, for noticing sameness. */
	readonly noProgress: { readonly fingerprint: string; readonly count: number };
	readonly summary: string;
	/** What counts against the ceilings of one visit; absent: nothing yet. A person who lets the visit go on starts it anew. */
	readonly use?: VisitUse | undefined;
}

export interface Baseline {
	/** `null`: files cannot be measured. */
	readonly tree: string | null;
	/** Of `null`: the reason. */
	readonly why?: string;
}

export interface ConversationState {
	/** `<visit>.<attempt>` of the attempt that began it. */
	readonly key: string;
	/** What of its spend is in the totals. */
	readonly settled: Spend;
	/** Whether anything of it was recorded. */
	readonly touched: boolean;
}

export interface Calls {
	/** Begun and not ended. */
	readonly open: readonly OpenCall[];
	/** Those that were under way when the worker of launch `by` ended; until a later one shows life. */
	readonly interrupted: { readonly by: string; readonly calls: readonly OpenCall[] };
	/** The last ones that ended. */
	readonly recent: readonly { readonly tool: string; readonly args: string; readonly failed: boolean }[];
}

export const NO_CALLS: Calls = { open: [], interrupted: { by: "", calls: [] }, recent: [] };

export interface OpenCall {
	readonly call: string;
	readonly tool: string;
	readonly args: string;
	readonly print?: string;
}

export interface Message {
	/** `seq` of the event that put it here. */
	readonly id: number;
	readonly text: string;
	readonly from: "person" | "supervisor";
	/** It was part of a worker's first message, and nothing shows yet that it arrived. */
	readonly given: boolean;
}

export interface PauseReason {
	readonly status: "paused" | "budget_exceeded";
	readonly cause: ParkCause;
	readonly detail: string;
}

/** What a person is asked before a move. */
export interface ApprovalQuestion {
	/** `seq` of the event that raised it; what an answer has to name. */
	readonly seq: number;
	readonly state: string;
	readonly visit: number;
	/** `exit`: before `state` is left for `target`. `entry`: before `state` is begun. */
	readonly side: "entry" | "exit";
	readonly target: string;
	/** The worker's words for an exit. */
	readonly summary: string;
	/** Tree that the answer is bound to; empty where files cannot be measured. */
	readonly diff: string;
	/** Why it is not known, or not wholly, what has changed; absent where it is. */
	readonly unmeasured?: string;
}

export type Stage =
	/** In the middle of a batch: `decision` is its next event. Ledgers of earlier versions have other events in between. */
	| {
			readonly kind: "deciding";
			readonly decision: DecisionEvent;
			/** The shutdown that goes on beside it. */
			readonly stopping: Stopping | null;
			readonly delayMs: number;
	  }
	| { readonly kind: "baselining"; readonly because: LaunchReason }
	| { readonly kind: "asking"; readonly question: ApprovalQuestion }
	| {
			readonly kind: "launching";
			readonly launch: LaunchId;
			readonly because: LaunchReason;
			/** `seq` of the recorded intent. */
			readonly since: number;
			/** To wait before it, after a passing fault of the provider. */
			readonly delayMs: number;
			readonly allowance: Allowance;
	  }
	| {
			readonly kind: "working";
			readonly launch: LaunchId;
			readonly because: LaunchReason;
			readonly since: number;
			readonly startedAt: string;
			/** Last sign of life. */
			readonly seenAt: string;
			/** Milliseconds since `startedAt` that do not count; absent: none. */
			readonly uncountedMs?: number;
			/** When the question was asked that a person has not answered yet. */
			readonly askedAt?: string;
			readonly worker: { readonly pid: number; readonly model: string };
	  }
	| Stopping
	| {
			readonly kind: "restoring";
			readonly rewind: RewindRequested;
			readonly back: Back | null;
			/** Files as they were before; `null`: not kept yet. */
			readonly before: string | null;
	  }
	/** For a person. */
	| { readonly kind: "waiting"; readonly since: number }
	| { readonly kind: "over"; readonly since: number };

/** Where a run goes back to if files cannot be brought back; a run whose worker has been ended for it has no such place. */
export interface Back {
	readonly status: RunStatus;
	readonly stage: Extract<Stage, { kind: "asking" | "waiting" | "over" | "baselining" }>;
}

/** A worker is being put to rest: it ends, the state's cleanup runs, files are measured. */
export interface Stopping {
	readonly kind: "stopping";
	readonly state: string;
	readonly visit: number;
	/** The worker that still has to end; `null`: it has. */
	readonly launch: LaunchId | null;
	readonly how: "boundary" | "now";
	/** When it began to work, and last showed life; empty where that is accounted for or it never did. */
	readonly startedAt: string;
	readonly seenAt: string;
	/** As of a run at work. */
	readonly uncountedMs?: number;
	readonly askedAt?: string;
	/** What the worker talks in, where the run itself has left that behind. */
	readonly closing: ConversationState | null;
	/** Next command of the state's cleanup; after the last, files are measured. */
	readonly index: number;
	/** Files at the start of the visit. */
	readonly since: string | null;
	readonly after: AfterStop;
}

/** What comes after a worker has been put to rest. */
export type AfterStop =
	/** The move is recorded: the state it leads to begins. */
	| { readonly kind: "enter" }
	| {
			readonly kind: "ask";
			readonly target: string;
			readonly summary: string;
			readonly earlier: ApprovalQuestion | null;
	  }
	/** The same visit goes on with another worker. */
	| { readonly kind: "again"; readonly because: LaunchReason; readonly delayMs: number }
	/** It wants to begin the same state anew. */
	| { readonly kind: "repeat" }
	| { readonly kind: "finish"; readonly status: Finished["status"]; readonly detail: string }
	| { readonly kind: "rewind"; readonly rewind: RewindRequested };
