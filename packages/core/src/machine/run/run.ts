// A run, folded from its events: everything the machine needs to continue, bounded in size regardless of history.
// For the stored form, see `stored-run.ts`.
// Immutable; only `stage` defines what the run is doing, `status` is the user's view of it; every list here is bounded.

import type { VisitUse } from "../../bounds/index.ts";
import type { PathList } from "../../definition/index.ts";
import type { ChangeTotals, CheckedOut, FileChange, FileLeft, Snapshot } from "../../snapshot/index.ts";
import type { Template } from "../../template/index.ts";
import type { Apart } from "./apart.ts";
import type { ApprovalQuestion } from "./approval-question.ts";
import type { Calls } from "./calls.ts";
import type { Allowance, Ceilings } from "./ceilings.ts";
import type { KeptChildFolder } from "./child-event.ts";
import type { Candidates, ChildChoice, ChildGroup } from "./child-group.ts";
import type { ChildSpend, Inherited, RunParent } from "./child-run.ts";
import type { CommandFailure } from "./command-event.ts";
import type { Condition } from "./condition.ts";
import type { DecisionEvent, Finished, MoveCause, Moved, Parked } from "./decision-event.ts";
import type { LaunchId, LaunchReason } from "./launch.ts";
import type { ProviderWait } from "./provider-wait.ts";
import type { RunDecision } from "./run-decision.ts";
import type { Spend } from "./spend.ts";
import type { RewindRequested, RunTemplate } from "./user-event.ts";

/** The format of ledgers that this version writes. 0.2.0 reads 1 and refuses 2: it would lose what children wrote, questions, and the user's words. */
export const SCHEMA_VERSION = 2;

export type RunStatus =
	| "running"
	| "asks"
	| "awaiting_approval"
	/** A provider fails, and is tried again later. */
	| "awaiting_provider"
	| "paused"
	| "budget_exceeded"
	| "human_intervention"
	| "done"
	| "failed"
	| "aborted";

export interface Run {
	readonly schemaVersion: number;
	readonly id: string;
	readonly template: RunTemplate;
	/** `template.definition`, compiled. */
	readonly plan: Template;
	/** `template.children`, compiled. */
	readonly childPlans: ReadonlyMap<string, Template>;
	/** The parent of this run; `null` if it has none. */
	readonly parent: RunParent | null;
	/** What it begins with as a child; `null`: it is none, or an earlier version started it. */
	readonly inherited: Inherited | null;
	/** It works in a copy of the project, until its files are taken. Absent: in the project's folder, or that of its parent. */
	readonly apart?: Apart;
	/** The children of the current visit; `null`: none. */
	readonly children: ChildGroup | null;
	/** Children that are done, of which one is to be chosen; `null`: none. */
	readonly candidates: Candidates | null;
	/** Which children were taken where one is chosen (`take: one`), newest last, at most 8. */
	readonly choices: readonly ChildChoice[];
	/** Children planned so far, over all visits. */
	readonly childCount: number;
	readonly task: string;
	readonly status: RunStatus;
	readonly state: string;
	/** The current visit, counted over the whole run from 1. */
	readonly visit: number;
	/** The current or last attempt of this visit, from 1; 0 before the first. */
	readonly attempt: number;
	readonly snapshot: Snapshot;
	/** The last 100 moves, oldest first. */
	readonly history: readonly Move[];
	readonly totals: Totals;
	/** Committed moves per unordered pair since the user last released it, keyed by `pairKey`. */
	readonly pairMoves: Readonly<Record<string, number>>;
	readonly updatedAt: string;
	readonly createdAt: string;
	/** `seq` of the last event. */
	readonly seq: number;
	readonly stage: Stage;
	/** Why the run must not launch a worker; `null` if it may. */
	readonly hold: PauseReason | null;
	/** Per state, over all visits. */
	readonly states: Readonly<Record<string, StateTotals>>;
	readonly visitRecord: VisitRecord;
	/** The current or last process of this attempt, from 1; 0 before the first. */
	readonly launch: number;
	/** Files at the start of this visit; `null`: not measured yet. */
	readonly baseline: Baseline | null;
	/** The list in a file for which children are about to be planned; absent: it is still to be read. */
	readonly list?: ListOfFile;
	/** Tree of the files before the first worker started; absent: not measured. */
	readonly startTree?: string;
	/** The user's uncommitted changes before the first worker started; absent: none, or unknown. */
	readonly uncommitted?: PathList;
	/** What was checked out when the files were last recorded, or when the run was submitted to an engine; absent: nothing, or unknown. */
	readonly checkedOut?: CheckedOut;
	/** The conversation of this visit's attempts; `null`: the next attempt starts a new one. */
	readonly conversation: ConversationState | null;
	readonly calls: Calls;
	/** Messages that the worker has not received yet. */
	readonly outbox: readonly Message[];
	/** The last failure of each state's command, and how often in a row it has failed like that; at most 16. */
	readonly failures: readonly CommandFailure[];
	/** What the user decided, oldest first; see `decision-record.ts`. */
	readonly decisions: readonly RunDecision[];
	/** The move that brought the run to `human_intervention`. */
	readonly refused: { readonly from: string; readonly to: string; readonly cause: MoveCause } | null;
	/** Committed moves: in total, and since the user last released the cap. */
	readonly moves: { readonly total: number; readonly counted: number };
	/** Limits set by the user, which replace the template's. */
	readonly limits: { readonly run: Ceilings; readonly states: Readonly<Record<string, Ceilings>> };
	/** Names of the limits that have already caused a warning. */
	readonly warned: readonly string[];
	readonly model: string | null;
	/** Hash of the cleanup commands that the user approved. */
	readonly cleanupApproval: string | null;
	/** Hash of the template's cleanup commands; derived from the plan. */
	readonly cleanupHash: string | null;
	/** The user's last answers, newest last, at most 8. */
	readonly answered: readonly GivenAnswer[];
	/** The question of `ask_user`, from its call until the model has used the answer; `null`: none. */
	readonly question: UserQuestion | null;
	/** Unanswered questions of rules, which only the live worker waits for. */
	readonly questions: readonly { readonly id: number; readonly title: string }[];
	/** The provider fails since its model answered last; `null`: it does not. */
	readonly providerWait: ProviderWait | null;
	/** Folders of children that stay because they have files that are nowhere else, newest last, at most 20. */
	readonly keptFolders: readonly KeptChildFolder[];
	/** What hinders the run from outside. */
	readonly conditions: readonly Condition[];
	/** Notices that nothing else shows, newest last, at most 10. */
	readonly notices: readonly string[];
	/** States that rewinds replaced, newest last, at most 8. */
	readonly kept: readonly KeptState[];
	/** Visits whose changes are unknown or incomplete, newest last, at most 8. */
	readonly unmeasured: readonly Unmeasured[];
}

/** The files and the run just before a rewind; `rewind kept-<seq>` restores them. */
export interface KeptState {
	/** `seq` of the event that kept it. */
	readonly seq: number;
	readonly at: string;
	readonly visit: number;
	readonly state: string;
	readonly tree: string;
	/** The last calls that ended in the visit; absent: none. */
	readonly calls?: Calls["recent"];
	/** The result of the rewind; `null` if it has not finished, or has failed. */
	readonly rewound: {
		/** The visit to whose start it returned; absent: it undid a rewind, or an earlier version recorded it. */
		readonly to?: number;
		/** `seq` of the state that it brought back, if it undid a rewind. */
		readonly kept?: number;
		/** Number of files that it changed. */
		readonly files: number;
		/** Number of files that it did not restore, and the first of them by name. */
		readonly left: number;
		readonly leftFirst: readonly FileLeft[];
	} | null;
}

interface Unmeasured {
	readonly visit: number;
	readonly state: string;
	readonly why: string;
}

type Totals = Spend & Omit<ChildSpend, "spend">;

export interface StateTotals
	extends Pick<Totals, "attempts" | "activeMs" | "tokens" | "costUsd" | "cacheRead">,
		Pick<Partial<Spend>, "unmeteredTokens" | "unreportedAnswers"> {
	readonly visits: number;
}

export interface Move extends Omit<Moved, "kind"> {
	readonly at: string;
	/** The worker's summary, cut in older moves. */
	readonly summary: string;
	readonly metrics: MoveMetrics;
}

/** Figures of the visit that the move ended. */
export type MoveMetrics = Pick<Totals, "attempts" | "tokens" | "costUsd" | "activeMs" | "toolCalls">;

export interface VisitRecord extends MoveMetrics {
	readonly startedAt: string;
	/** Attempts, crashes and reminders since the user last intervened. */
	readonly tries: number;
	readonly crashes: number;
	readonly nudges: number;
	readonly rejections: number;
	/** The user has allowed the state to begin. */
	readonly granted: boolean;
	/** How the last attempts ended, to detect repetition without progress. */
	readonly noProgress: { readonly fingerprint: string; readonly count: number };
	readonly summary: string;
	/** The changes of the visit as last measured, and the first of them; absent: not measured, or by an earlier version. */
	readonly changed?: { readonly total: ChangeTotals; readonly first: readonly FileChange[] };
	/** Usage counted against the limits of one visit; absent if there is none. Reset when the user lets the visit continue. */
	readonly use?: VisitUse | undefined;
}

export interface Baseline {
	/** `null`: files cannot be measured. */
	readonly tree: string | null;
	/** The reason for `null`. */
	readonly why?: string;
	/** What was checked out then; absent: nothing, unknown, or the user lets the visit continue on another branch. */
	readonly checkedOut?: CheckedOut;
	/** Files with which other children do the state again; absent: those at the start. */
	readonly now?: string;
}

export interface ConversationState {
	/** `<visit>.<attempt>` of the attempt that started it. */
	readonly key: string;
	/** The part of its spend already included in the totals. */
	readonly settled: Spend;
	/** Whether any report from it was recorded. */
	readonly touched: boolean;
}

export interface Message {
	/** `seq` of the event that queued it. */
	readonly id: number;
	readonly text: string;
	readonly from: "person" | "supervisor";
	/** It was part of a worker's first message, and no report has confirmed delivery since. */
	readonly given: boolean;
}

export type PauseReason = Omit<Parked, "kind">;

/** An answer of the user that was recorded. */
interface GivenAnswer {
	/** `seq` of the event that it answers. */
	readonly answers: number;
	readonly did: string;
	/** As in the user's event. */
	readonly by?: string;
	readonly via?: string;
}

/** A question of a worker to the user. */
export interface UserQuestion {
	/** `seq` of the event that raised it; an answer must name it. */
	readonly seq: number;
	readonly visit: number;
	/** The call of `ask_user` whose result the answer becomes; empty: it asks how the state's command ended. */
	readonly call: string;
	readonly text: string;
	/** Proposed answers; empty: none. */
	readonly choices: readonly string[];
	/** The answer, and the `seq` of its event; `null`: not answered yet. */
	readonly answer: { readonly seq: number; readonly words: string } | null;
}

export type Stage =
	/** Within a batch: `decision` is its next event. Ledgers of earlier versions have other events in between. */
	| {
			readonly kind: "deciding";
			readonly decision: DecisionEvent;
			/** The shutdown in progress, which continues afterward. */
			readonly stopping: Stopping | null;
			readonly delayMs: number;
	  }
	/** `awaits`: labels of the host that the run waits for; absent: none. */
	| { readonly kind: "baselining"; readonly because: LaunchReason; readonly awaits?: readonly string[] }
	| { readonly kind: "asking"; readonly question: ApprovalQuestion }
	| {
			readonly kind: "launching";
			readonly launch: LaunchId;
			readonly because: LaunchReason;
			/** `seq` of the recorded intent. */
			readonly since: number;
			/** Milliseconds to wait before the launch, after a transient provider error. */
			readonly delayMs: number;
			readonly allowance: Allowance;
	  }
	| {
			readonly kind: "working";
			readonly launch: LaunchId;
			readonly because: LaunchReason;
			readonly since: number;
			readonly startedAt: string;
			/** Time of the last report. */
			readonly seenAt: string;
			/** Milliseconds since `startedAt` that do not count; absent: none. */
			readonly uncountedMs?: number;
			/** When the open question was asked. */
			readonly askedAt?: string;
			/** Absent: a command does the state. */
			readonly worker?: { readonly pid: number; readonly model: string };
	  }
	| Stopping
	/** The children in `children` work, are being stopped, or their files are being joined. */
	| { readonly kind: "children"; readonly since: number }
	| {
			readonly kind: "restoring";
			readonly rewind: RewindRequested;
			readonly back: Back | null;
			/** Tree of the files before the rewind; `null` if not recorded yet. */
			readonly before: string | null;
	  }
	/** Until the provider is tried again; `providerWait` says when. */
	| { readonly kind: "awaiting_provider"; readonly since: number }
	/** Until the user acts. `left`: the stage in which the hosts of an engine gave the run up, and in which it continues. */
	| { readonly kind: "waiting"; readonly since: number; readonly left?: Stage }
	| { readonly kind: "over"; readonly since: number };

/** The status and stage to return to if files cannot be restored; `null` if a worker was stopped for the rewind. */
interface Back {
	readonly status: RunStatus;
	readonly stage: Extract<Stage, { kind: "asking" | "awaiting_provider" | "waiting" | "over" | "baselining" }>;
}

/** Worker shutdown: stop the worker, run the state's cleanup, measure the files, continue with `after`. */
export interface Stopping {
	readonly kind: "stopping";
	readonly state: string;
	readonly visit: number;
	/** The worker that must still end; `null` if there is none. */
	readonly launch: LaunchId | null;
	readonly how: "boundary" | "now";
	/** Times of its start and last report; empty once its time is counted, or if it never started. */
	readonly startedAt: string;
	readonly seenAt: string;
	/** As in the stage `working`. */
	readonly uncountedMs?: number;
	readonly askedAt?: string;
	/** The worker's conversation; the run itself may have moved on from it. */
	readonly closing: ConversationState | null;
	/** Index of the state's next cleanup command; after the last, the files are measured. */
	readonly index: number;
	/** Files at the start of the visit. */
	readonly since: string | null;
	readonly after: AfterStop;
}

/** The next step after the shutdown of a worker. */
export type AfterStop =
	/** The move is recorded: its target state starts. */
	| { readonly kind: "enter" }
	| {
			readonly kind: "ask";
			readonly target: string;
			readonly summary: string;
			readonly earlier: ApprovalQuestion | null;
	  }
	/** The same visit continues with another worker. */
	| { readonly kind: "again"; readonly because: LaunchReason; readonly delayMs: number }
	/** The worker asked to start its state over. */
	| { readonly kind: "repeat" }
	/** The files of the chosen child are joined, then the run moves on, or ends in its state. */
	| { readonly kind: "take"; readonly to: string | null }
	| { readonly kind: "finish"; readonly status: Finished["status"]; readonly detail: string }
	| { readonly kind: "rewind"; readonly rewind: RewindRequested };

/** A task list as its file has it: the entries as JSON data, or why they cannot be read, as the end of a sentence about the file. */
export type ListOfFile = { readonly items: readonly unknown[] } | { readonly problem: string };
