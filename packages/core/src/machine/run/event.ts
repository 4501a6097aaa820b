// All events of a run. A ledger is a sequence of them: each line is one event with `seq`, `at`, `fence` and `crc`.
// An event is self-contained: no reader needs the disk, the clock or the template file; texts are bounded, and the store redacts their
// secrets; the user's answer names the event that it answers in `answers`, so a second answer has no effect.
import type { PathList } from "../../definition/index.ts";
import type { CheckedOut, FileLeft, MeasuredChanges, SnapshotData } from "../../snapshot/index.ts";
import type { ApprovalQuestion } from "./approval-question.ts";
import type { ChildEvent, KeptChildFolder } from "./child-event.ts";
import type { CleanupEnded, CommandEvent } from "./command-event.ts";
import type { ConditionChanged } from "./condition.ts";
import type { Created } from "./created-event.ts";
import type { DecisionEvent } from "./decision-event.ts";
import type { AttemptId, LaunchId } from "./launch.ts";
import type { ListOfFile } from "./run.ts";
import type { Spend } from "./spend.ts";
import type { StoredRun } from "./stored-run.ts";
import type { UserEvent } from "./user-event.ts";

/** An event in the ledger. `at` is ISO 8601 in UTC with milliseconds. `fence` is the fencing number of the lease under which it was written. */
export type LedgerEvent = EventBody & { readonly seq: number; readonly at: string; readonly fence?: number };

export type EventBody =
	| Created
	| Opened
	| Recovered
	| Noted
	| ConditionChanged
	| ClockJumped
	| DecisionEvent
	| HostAwaited
	| GivenUp
	| WorkEvent
	| CommandEvent
	| FilesEvent
	| CleanupEnded
	| StraysStopped
	| UserEvent
	| AskOpened
	| ApprovalAsked
	| ChildEvent;

export type EventKind = EventBody["kind"];

/** A supervisor took over the run. The outcome of anything that an earlier one left unfinished is now unknown. */
export interface Opened {
	readonly kind: "opened";
	readonly host: string;
	readonly pid: number;
	/** Start time of the process as reported by the system: process ids are reused. */
	readonly started: string;
	/** The run's folder was set to its last published snapshot, so later changes are gone. Absent: the files are as they were. */
	readonly setBack?: true;
}

/** The work that is due needs a host with `labels`, and this one lacks some: the run is given back, for such a host to continue. */
export interface HostAwaited {
	readonly kind: "host_awaited";
	readonly visit: number;
	/** All that the work needs. */
	readonly labels: readonly string[];
}

/** The hosts of an engine have given the run up after several attempts without progress: it waits for its user, and then continues where it was. */
export interface GivenUp {
	readonly kind: "given_up";
	readonly detail: string;
}

/** The log before this event is damaged: the run continues from an intact checkpoint and can be folded from here. */
export interface Recovered {
	readonly kind: "recovered";
	readonly run: StoredRun;
}

/**
 * The wall clock diverged from the elapsed time: the machine slept, the supervisor was suspended, or the clock was set. These
 * milliseconds (negative: set back) do not count as the worker's time.
 */
interface ClockJumped {
	readonly kind: "clock_jumped";
	readonly ms: number;
}

/** A notice to the user, without any other effect. */
interface Noted {
	readonly kind: "noted";
	readonly text: string;
}

// ── reported by or about a worker ──

type WorkEvent =
	| WorkerStarted
	| LaunchFailed
	| ToolStarted
	| ToolEnded
	| Used
	| ModelSwitched
	| TurnSettled
	| ProviderDue
	| Delivered
	| SnapshotUpdated
	| MoveRequested
	| OutputRefused
	| WorkerEnded;

/** The worker passed its handshake. */
export interface WorkerStarted extends LaunchId {
	readonly kind: "worker_started";
	readonly pid: number;
	/** `provider/id`. */
	readonly model: string;
	/** Hash of the active guard rules; absent if there are none. */
	readonly rules?: string;
	/** Whether it continues the conversation of an earlier process. */
	readonly conversation: "new" | "continued";
	/** A notice, for example that a model alias fell back to another model. */
	readonly notice?: string;
	/** Its process was started before it was needed. */
	readonly standby?: true;
}

/** The worker could not be started. */
export interface LaunchFailed extends LaunchId {
	readonly kind: "launch_failed";
	/**
	 * `session_lost`: the conversation to continue is missing or unreadable. `rules`: guard rules cannot be enforced. `budget`: the remaining
	 * budget does not cover the model's cost.
	 */
	readonly reason: "budget" | "session_lost" | "rules" | "persona" | "model" | "tools" | "spawn" | "handshake";
	readonly detail: string;
}

/** A tool call started. */
export interface ToolStarted extends AttemptId {
	readonly kind: "tool_started";
	readonly call: string;
	readonly tool: string;
	/** Arguments, redacted, at most 2 KB. */
	readonly args: string;
	/** Fingerprint of the tool and all its arguments; absent if they were too long, and in older ledgers. */
	readonly print?: string;
}

/** A tool call ended. Of its result, only size and hash are recorded. */
export interface ToolEnded extends AttemptId {
	readonly kind: "tool_ended";
	readonly call: string;
	readonly tool: string;
	readonly ms: number;
	readonly bytes: number;
	/** First 16 hex digits of the result's SHA-256. */
	readonly hash: string;
	/** The hash of the result without times and durations, if it has any. */
	readonly timeless?: string;
	readonly error?: boolean;
	/** The guard rule that blocked the call. */
	readonly blocked?: string;
}

/**
 * What the conversation has used: `spend` is its total so far, not that of the last message, so a repeated report only updates when
 * the worker was last seen.
 */
export interface Used extends AttemptId {
	readonly kind: "used";
	readonly spend: Spend;
	/** Requests to the model since the previous report; absent: none. */
	readonly requests?: number;
	/** Read from the conversation after the worker was gone: it has not worked until then. */
	readonly lost?: true;
}

/** The provider of `from` failed, and another model continues the conversation. Both are `provider/id`. */
export interface ModelSwitched extends AttemptId {
	readonly kind: "model_switched";
	readonly from: string;
	readonly to: string;
	/** The provider's error message. */
	readonly detail: string;
}

/** The model ended its turn and has nothing left to do. */
export interface TurnSettled extends AttemptId {
	readonly kind: "turn_settled";
	readonly stop: "finished" | "length" | "aborted" | ProviderStop;
	readonly detail?: string;
	/** When the provider can be tried again, as it has said, ISO 8601; absent: it has not. */
	readonly retryAt?: string;
	/** Settings for waiting: the first wait and all together, in ms; absent fields: the defaults. Absent in ledgers of earlier versions, which do not wait. */
	readonly waits?: { readonly firstMs?: number; readonly maxMs?: number };
}

type ProviderStop = "quota" | "auth" | "transient" | "provider_error";

/** The wait for the provider is over: it is tried again. */
export interface ProviderDue {
	readonly kind: "provider_due";
	readonly visit: number;
}

/** The worker received a message from the run's outbox. */
export interface Delivered {
	readonly kind: "delivered";
	/** `seq` of the event that queued it. */
	readonly message: number;
}

/** Data for the snapshot. */
export interface SnapshotUpdated extends AttemptId {
	readonly kind: "snapshot_updated";
	readonly by: "worker" | "person";
	readonly data: SnapshotData;
}

/** A legal `workflow_transition`: the move is guaranteed from here on. */
export interface MoveRequested extends AttemptId {
	readonly kind: "move_requested";
	readonly target: string;
	readonly summary: string;
	/** The worker's output, which matches the state's `output` schema. Absent in a state without one, and in a move that needs none. */
	readonly data?: unknown;
}

/** The worker requested a move with output that does not match the `output` schema of its state. The move was refused with the reasons. */
export interface OutputRefused extends AttemptId {
	readonly kind: "output_refused";
	/** One sentence each, with the path, bounded. */
	readonly problems: readonly string[];
}

/** The worker's process ended. */
export interface WorkerEnded extends LaunchId {
	readonly kind: "worker_ended";
	readonly outcome: WorkerOutcome;
}

export type WorkerOutcome =
	/** Its supervisor died; the worker has been stopped if it was still running. */
	| { readonly kind: "lost" }
	/** It was stopped by its supervisor. */
	| { readonly kind: "stopped" }
	/** It exited on its own. Exit code 0 is not success: only a requested move is. */
	| { readonly kind: "exited"; readonly code: number; readonly detail?: string }
	| { readonly kind: "killed"; readonly signal: string; readonly detail?: string }
	| { readonly kind: "timed_out"; readonly limit: "idle" | "wall" | "budget" };

// ── files, cleanup ──

type FilesEvent = FilesMeasured | FilesUnmeasured | FilesRestored | FilesUnrestored;

/**
 * The files were saved: `tree` names a snapshot of all of them in the workspace's own store. For purpose `changes`, with the changes since the
 * baseline of the visit.
 */
export interface FilesMeasured extends MeasuredChanges {
	readonly kind: "files_measured";
	readonly visit: number;
	/** `before`: the files before a rewind; `rewind kept-<seq>` restores them. */
	readonly purpose: "baseline" | "changes" | "before";
	readonly tree: string;
	/** The files before the first worker of the run. */
	readonly start?: true;
	/** With `start`: what git reports as uncommitted, which is the user's; absent: nothing, or unknown. */
	readonly uncommitted?: PathList;
	/** What is checked out in the repository; absent: nothing, or unknown. */
	readonly checkedOut?: CheckedOut;
	/** All changes since the run started, bounded. `same`: those of the visit; `unknown`: they cannot be compared. */
	readonly ofRun?: MeasuredChanges | "same" | "unknown";
	/** Files that could not be read, bounded. */
	readonly unkept?: readonly FileLeft[];
	/** Notices about the store. */
	readonly notes?: readonly string[];
	/** The task list for which the children of the visit are about to be planned; absent: the state needs none from a file. */
	readonly list?: ListOfFile;
	/** Folders of children that stay after their end; absent: none. */
	readonly keptFolders?: readonly KeptChildFolder[];
}

/** The files could not be saved. */
export interface FilesUnmeasured {
	readonly kind: "files_unmeasured";
	readonly visit: number;
	readonly purpose: "baseline" | "changes";
	readonly detail: string;
}

/** Files were restored to an earlier state, with the changes that the rewind made. */
export interface FilesRestored extends MeasuredChanges {
	readonly kind: "files_restored";
	readonly tree: string;
	/** Tree of the files before the rewind, for undoing it. */
	readonly before: string;
	/** Tree of the files after the rewind; absent if it is `tree`. */
	readonly now?: string;
	/** As in {@link FilesMeasured}. */
	readonly checkedOut?: CheckedOut;
	/** Files that were not restored and are unchanged, bounded. */
	readonly left?: readonly FileLeft[];
	readonly leftMore?: number;
}

/** The files could not be restored. */
export interface FilesUnrestored {
	readonly kind: "files_unrestored";
	readonly tree: string;
	readonly detail: string;
}

/** Orphaned processes of a worker were stopped. */
interface StraysStopped {
	readonly kind: "strays_stopped";
	readonly visit: number;
	readonly count: number;
	/** Number of processes that could not be stopped. */
	readonly left?: number;
}

// ── questions to the user ──

/** The run asks for an approval. Answers name this event; those in ledgers of earlier versions, which do not have it, name the event before. */
export interface ApprovalAsked {
	readonly kind: "approval_asked";
	readonly state: string;
	readonly visit: number;
	readonly side: ApprovalQuestion["side"];
	readonly target: string;
	/** Tree of the files that the answer is bound to; empty if they cannot be measured. */
	readonly tree: string;
}

/** A worker, or a rule of the guard, asks the user, whose answer is `ask_answered`. */
export interface AskOpened extends AttemptId {
	readonly kind: "ask_opened";
	readonly title: string;
	readonly text: string;
	/** The call of `ask_user` whose result the answer becomes: the run waits for it. Absent: a rule asks, and only the live worker waits. */
	readonly call?: string;
	/** The answers that the worker proposes; the user may write another. */
	readonly choices?: readonly string[];
}
