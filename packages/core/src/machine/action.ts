// Side effects that a run requires. An action is pending until the event that completes it is in the ledger: after a crash the same actions
// are pending again, under the same keys. The executor performs them and reports results as events.

import type { ApprovalQuestion } from "./run/approval-question.ts";
import type { Allowance } from "./run/ceilings.ts";
import type { ChildResult, ChildRun, JoinProgress } from "./run/child-group.ts";
import type { LaunchId, LaunchReason } from "./run/launch.ts";
import type { UserQuestion } from "./run/run.ts";

export type Action =
	| MeasureFiles
	| AskApproval
	| AskUser
	| Reply
	| Work
	| RunCommand
	| EndCommand
	| AwaitProvider
	| SendMessage
	| EndWorker
	| CleanUp
	| RestoreFiles
	| RunChild
	| StopChild
	| MergeFiles
	| ApplyJoin;

interface Keyed {
	/** The same after a crash. */
	readonly key: string;
}

/** Creates the child's run if it does not exist, and supervises it until it parks or ends. Completed by `child_parked` or `child_ended`. */
export interface RunChild extends Keyed {
	readonly kind: "run_child";
	readonly visit: number;
	readonly child: ChildRun;
}

/** Pauses or aborts a child, whether or not it is supervised. Completed by `child_parked` or `child_ended`. */
export interface StopChild extends Omit<RunChild, "kind"> {
	readonly kind: "stop_child";
	readonly how: "pause" | "abort";
	/** For the child's user: why. */
	readonly detail: string;
}

/** Merges the run's files and the children's, or resolves the conflicts of the last merge. Completed by `joined` or `join_failed`. */
interface MergeFiles extends Keyed {
	readonly kind: "merge_files";
	readonly visit: number;
	readonly base: string;
	readonly results: readonly ChildResult[];
	/** The merge whose conflicts are resolved by `choice`; `null`: a first merge. */
	readonly join: JoinProgress | null;
	/** The files of this child alone are merged, with those of the children joined before, `tree`. Absent: those of all with the run's. */
	readonly into?: { readonly child: string; readonly tree: string };
}

/** Writes the merged files. Completed by `join_applied`, `join_failed`, or another `joined` if files have changed since. */
interface ApplyJoin extends Keyed {
	readonly kind: "apply_join";
	readonly visit: number;
	readonly join: JoinProgress;
}

/** Stops the processes that workers left running, then measures the files. Completed by `files_measured` or `files_unmeasured`. */
interface MeasureFiles extends Keyed {
	readonly kind: "measure_files";
	readonly visit: number;
	readonly purpose: "baseline" | "changes";
	/** Tree to compare with; `null` if there is none. */
	readonly since: string | null;
}

/** Completed by `approved` or `rejected`, possibly days later and in another process. */
interface AskApproval extends Keyed {
	readonly kind: "ask_approval";
	readonly question: ApprovalQuestion;
}

/** Shows the worker's question. Completed by `ask_answered`, possibly days later and in another process; its worker may be stopped meanwhile. */
interface AskUser extends Keyed {
	readonly kind: "ask_user";
	readonly question: UserQuestion;
}

/** Gives the answer to the worker that has asked and still waits. Completed once its model has used it. */
interface Reply extends Keyed {
	readonly kind: "reply";
	readonly launch: LaunchId;
	readonly call: string;
	readonly words: string;
}

/** Launches the worker and stays connected to it: pending from the recorded intent until the worker has ended. */
interface Work extends Keyed {
	readonly kind: "work";
	readonly launch: LaunchId;
	readonly state: string;
	readonly because: LaunchReason;
	/** `optional`: it may be missing, because nothing from it has been recorded yet. */
	readonly conversation: { readonly kind: "new" | "continue"; readonly key: string; readonly optional: boolean };
	readonly allowance: Allowance;
	/** Milliseconds to wait before the launch, after a transient provider error. */
	readonly delayMs: number;
}

/** Runs the command of the state: pending from the recorded intent until it has ended. Completed by `command_ended`. */
interface RunCommand extends Keyed {
	readonly kind: "run_command";
	readonly launch: LaunchId;
	readonly state: string;
	/** Milliseconds that the limits of the run leave; absent: no limit. */
	readonly activeMs?: number | undefined;
}

/** Stops the command. `boundary`: unless it ends by itself as soon as a message of a worker must. Completed by `command_ended`, with result `lost` if this supervisor does not run it. */
interface EndCommand extends Keyed {
	readonly kind: "end_command";
	readonly launch: LaunchId;
	readonly how: "boundary" | "now";
}

/** Waits until a moment, ISO 8601. Completed by `provider_due`. */
interface AwaitProvider extends Keyed {
	readonly kind: "await_provider";
	readonly visit: number;
	readonly until: string;
}

/** Completed by `delivered`. */
interface SendMessage extends Keyed {
	readonly kind: "send";
	readonly launch: LaunchId;
	readonly message: number;
	readonly text: string;
}

/** Completed by `worker_ended`, with outcome `lost` if the worker is no longer connected. `boundary`: after the model's current message, refusing further tool calls. `now`: immediately. */
interface EndWorker extends Keyed {
	readonly kind: "end_worker";
	readonly launch: LaunchId;
	readonly how: "boundary" | "now";
}

/** Completed by `cleanup_ended`. Runs twice if the supervisor dies before the result is recorded. */
interface CleanUp extends Keyed {
	readonly kind: "clean_up";
	readonly visit: number;
	readonly state: string;
	/** Index in the state's cleanup list, from 0. */
	readonly index: number;
	readonly command: string;
	readonly timeoutMs: number;
}

/** Records the current files (`files_measured` with purpose `before`), then restores `tree`. Completed by `files_restored` or `files_unrestored`. */
interface RestoreFiles extends Keyed {
	readonly kind: "restore_files";
	readonly tree: string;
	readonly visit: number;
	/** Tree of the files before the restore, if already recorded. */
	readonly before: string | null;
}
