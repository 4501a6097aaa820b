// Everything that can happen to a run. Events are the truth of a ledger: each line of it is one of these with `seq`, `at`, `fence` and `crc`.
// E1 an event carries all it means: no reader needs the disk, the clock or the template's file; E2 texts are bounded, and the store takes
// secrets out of them; E3 what a person says names in `answers` the event that it answers, so that a second answer does nothing.
import type { FileChange, FileLeft, SnapshotData } from "../snapshot/index.ts";
import type { DecisionEvent } from "./decision-event.ts";
import type { LaunchId } from "./launch.ts";
import type { PersonEvent } from "./person-event.ts";
import type { Spend } from "./spend.ts";
import type { StoredRun } from "./stored-run.ts";

/** An event as it lies in the ledger. `at` is ISO 8601 in UTC with milliseconds. `fence` is the number of the lease it was written under. */
export type LedgerEvent = EventBody & { readonly seq: number; readonly at: string; readonly fence?: number };

export type EventBody =
	| Created
	| Opened
	| Recovered
	| Noted
	| ClockJumped
	| DecisionEvent
	| WorkEvent
	| FilesEvent
	| CleanupEnded
	| StraysStopped
	| PersonEvent
	| QuestionEvent;

export type EventKind = EventBody["kind"];

/** First event of every ledger. */
export interface Created {
	readonly kind: "created";
	readonly schemaVersion: number;
	readonly id: string;
	readonly template: {
		readonly name: string;
		readonly hash: string;
		readonly definition: unknown;
		readonly file?: string;
	};
	readonly task: string;
	/** Hash of the cleanup texts that the person has approved; absent: none run. */
	readonly cleanupApproval?: string;
	/** Model that states without one of their own use, `provider/id`. */
	readonly model?: string;
}

/** A supervisor has taken the run. What an earlier one left unfinished is in doubt from here on. */
export interface Opened {
	readonly kind: "opened";
	readonly host: string;
	readonly pid: number;
	/** Start mark of the process, so that its number being used again is noticed. */
	readonly started: string;
}

/** The log before this is damaged: the run goes on as a sound checkpoint had it, and can be folded from here. */
export interface Recovered {
	readonly kind: "recovered";
	readonly run: StoredRun;
}

/**
 * The clock shows other times than have passed: the machine slept, the supervisor was stopped, or the clock was set. The worker's time of
 * these milliseconds does not count; they are negative where the clock was set back.
 */
export interface ClockJumped {
	readonly kind: "clock_jumped";
	readonly ms: number;
}

/** Something that a person should know and that changes nothing. */
export interface Noted {
	readonly kind: "noted";
	readonly text: string;
}

// ── reported by or about a worker ──

export type WorkEvent =
	| WorkerStarted
	| LaunchFailed
	| ToolStarted
	| ToolEnded
	| Used
	| ModelSwitched
	| TurnSettled
	| Delivered
	| SnapshotUpdated
	| MoveRequested
	| WorkerEnded;

/** The worker passed its handshake. */
export interface WorkerStarted extends LaunchId {
	readonly kind: "worker_started";
	readonly pid: number;
	/** `provider/id`. */
	readonly model: string;
	/** Hash of the guard's rules in force; absent where there are none. */
	readonly rules?: string;
	/** Whether it goes on with the conversation of an earlier process. */
	readonly conversation: "new" | "continued";
	/** What the person should know, such as a model alias that fell back. */
	readonly notice?: string;
}

export interface LaunchFailed extends LaunchId {
	readonly kind: "launch_failed";
	/**
	 * `session_lost`: the conversation to go on with is gone or cannot be read. `rules`: guard rules cannot be enforced. `budget`: nothing is
	 * left for what the model costs.
	 */
	readonly reason: "budget" | "session_lost" | "rules" | "persona" | "model" | "tools" | "spawn" | "handshake";
	readonly detail: string;
}

export interface ToolStarted {
	readonly kind: "tool_started";
	readonly visit: number;
	readonly attempt: number;
	readonly call: string;
	readonly tool: string;
	/** Arguments, redacted, at most 2 KB. */
	readonly args: string;
	/** Fingerprint of the tool and all its arguments; absent where they were too long to be read, and in older ledgers. */
	readonly print?: string;
}

export interface ToolEnded {
	readonly kind: "tool_ended";
	readonly visit: number;
	readonly attempt: number;
	readonly call: string;
	readonly tool: string;
	readonly ms: number;
	readonly bytes: number;
	/** First 16 hex digits of the result's SHA-256. */
	readonly hash: string;
	/** The same without times and durations, where the result holds any. */
	readonly timeless?: string;
	readonly error?: boolean;
	/** Rule of the guard that stopped it. */
	readonly blocked?: string;
}

/**
 * `spend` is the whole of the conversation so far, not of the last message: a report that comes twice changes nothing but the time that the
 * worker is known to have worked.
 */
export interface Used {
	readonly kind: "used";
	readonly visit: number;
	readonly attempt: number;
	readonly spend: Spend;
	/** Requests to the model since the report before; absent: none. */
	readonly requests?: number;
}

/** The provider of `from` failed, and another model goes on in the same conversation. Both are `provider/id`. */
export interface ModelSwitched {
	readonly kind: "model_switched";
	readonly visit: number;
	readonly attempt: number;
	readonly from: string;
	readonly to: string;
	/** What the provider said. */
	readonly detail: string;
}

/** The worker's model has stopped and nothing of it is left to do. */
export interface TurnSettled {
	readonly kind: "turn_settled";
	readonly visit: number;
	readonly attempt: number;
	readonly stop: "finished" | "length" | "aborted" | ProviderStop;
	readonly detail?: string;
}

export type ProviderStop = "quota" | "auth" | "transient" | "provider_error";

/** A message of the run's outbox has reached the worker. */
export interface Delivered {
	readonly kind: "delivered";
	/** `seq` of the event that put it there. */
	readonly message: number;
}

export interface SnapshotUpdated {
	readonly kind: "snapshot_updated";
	readonly visit: number;
	readonly attempt: number;
	readonly by: "worker" | "person";
	readonly data: SnapshotData;
}

/** A legal `workflow_transition`: the move is promised from here on. */
export interface MoveRequested {
	readonly kind: "move_requested";
	readonly visit: number;
	readonly attempt: number;
	readonly target: string;
	readonly summary: string;
}

export interface WorkerEnded extends LaunchId {
	readonly kind: "worker_ended";
	readonly outcome: WorkerOutcome;
}

export type WorkerOutcome =
	/** Its supervisor died; it has been stopped since, if it was still alive. */
	| { readonly kind: "lost" }
	/** It ended because it was told to. */
	| { readonly kind: "stopped" }
	/** It ended by itself. Zero is no success: only a requested move is. */
	| { readonly kind: "exited"; readonly code: number; readonly detail?: string }
	| { readonly kind: "killed"; readonly signal: string; readonly detail?: string }
	| { readonly kind: "timed_out"; readonly limit: "idle" | "wall" | "budget" };

// ── files, cleanup ──

export type FilesEvent = FilesMeasured | FilesUnmeasured | FilesRestored | FilesUnrestored;

/** `tree` names the state of all files in the workspace's own store. */
export interface FilesMeasured {
	readonly kind: "files_measured";
	readonly visit: number;
	/** `before`: as they are before others are brought back; `rewind kept-<seq>` brings them back again. */
	readonly purpose: "baseline" | "changes" | "before";
	readonly tree: string;
	/** Of purpose `changes`: since the baseline of the visit, bounded. */
	readonly changes?: readonly FileChange[];
	/** Changes that the list leaves out. */
	readonly more?: number;
	/** What could not be read and of which nothing is known, bounded. */
	readonly unkept?: readonly FileLeft[];
	/** What the person should know of the store. */
	readonly notes?: readonly string[];
}

export interface FilesUnmeasured {
	readonly kind: "files_unmeasured";
	readonly visit: number;
	readonly purpose: "baseline" | "changes";
	readonly detail: string;
}

export interface FilesRestored {
	readonly kind: "files_restored";
	readonly tree: string;
	/** The files as they were before, for the way back. */
	readonly before: string;
	/** The files as they are now; absent: as in `tree`. */
	readonly now?: string;
	/** What the rewind has done to the files, bounded. */
	readonly changes?: readonly FileChange[];
	readonly more?: number;
	/** What was not brought back and is as it was before, bounded. */
	readonly left?: readonly FileLeft[];
	readonly leftMore?: number;
}

export interface FilesUnrestored {
	readonly kind: "files_unrestored";
	readonly tree: string;
	readonly detail: string;
}

export interface CleanupEnded {
	readonly kind: "cleanup_ended";
	readonly visit: number;
	/** Position in the state's list, from 0. */
	readonly index: number;
	readonly result:
		| { readonly kind: "exited"; readonly code: number }
		| { readonly kind: "killed"; readonly signal: string }
		| { readonly kind: "timed_out" }
		| { readonly kind: "unstarted"; readonly detail: string }
		/** Its text was not approved, or a rule forbids it. */
		| { readonly kind: "refused"; readonly detail: string };
	/** End of its output, redacted. */
	readonly output?: string;
}

/** Processes that a dead worker had left behind are gone. */
export interface StraysStopped {
	readonly kind: "strays_stopped";
	readonly visit: number;
	readonly count: number;
	/** Processes that could not be stopped. */
	readonly left?: number;
}

// ── a worker's questions to the person ──

export type QuestionEvent = AskOpened | AskAnswered;

export interface AskOpened {
	readonly kind: "ask_opened";
	readonly visit: number;
	readonly attempt: number;
	readonly title: string;
	readonly text: string;
}

export interface AskAnswered {
	readonly kind: "ask_answered";
	readonly answers: number;
	readonly verdict: "allowed" | "denied" | "answered" | "unanswered";
}
