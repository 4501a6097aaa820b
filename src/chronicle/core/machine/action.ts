// What has to be done outside for a run. An action is pending until the event that answers it is in the ledger: after a crash the same
// actions are pending again, under the same keys. The executor reports results as events; nothing here is carried out.
import type { LaunchId, LaunchReason } from "./launch.ts";
import type { Allowance, ApprovalQuestion } from "./run.ts";

export type Action = MeasureFiles | AskApproval | Work | SendMessage | EndWorker | CleanUp | RestoreFiles;

/** After stopping what workers left running. Answered by `files_measured` or `files_unmeasured`. */
export interface MeasureFiles {
	readonly kind: "measure_files";
	readonly key: string;
	readonly visit: number;
	readonly purpose: "baseline" | "changes";
	/** Tree to compare with; `null` where there is none. */
	readonly since: string | null;
}

/** Answered by `approved` or `rejected`, perhaps days later and in another process. */
export interface AskApproval {
	readonly kind: "ask_approval";
	readonly key: string;
	readonly question: ApprovalQuestion;
}

/** Launch the worker and stay its link: pending from the recorded intent until the worker has ended. */
export interface Work {
	readonly kind: "work";
	readonly key: string;
	readonly launch: LaunchId;
	readonly state: string;
	readonly because: LaunchReason;
	/** `optional`: it may be missing, because nothing of it was recorded yet. */
	readonly conversation: { readonly kind: "new" | "continue"; readonly key: string; readonly optional: boolean };
	readonly allowance: Allowance;
	/** Milliseconds to wait first, after a transient fault of the provider. */
	readonly delayMs: number;
}

/** Answered by `delivered`. */
export interface SendMessage {
	readonly kind: "send";
	readonly key: string;
	readonly launch: LaunchId;
	readonly message: number;
	readonly text: string;
}

/** Answered by `worker_ended`; outcome `lost` if no link to it is left. `boundary`: after the model's current message, refusing further tool calls. `now`: at once. */
export interface EndWorker {
	readonly kind: "end_worker";
	readonly key: string;
	readonly launch: LaunchId;
	readonly how: "boundary" | "now";
}

/** Answered by `cleanup_ended`. Runs twice if the supervisor dies meanwhile. */
export interface CleanUp {
	readonly kind: "clean_up";
	readonly key: string;
	readonly visit: number;
	readonly state: string;
	/** Position in the state's list, from 0. */
	readonly index: number;
	readonly command: string;
	readonly timeoutMs: number;
}

/** After recording the files as they are (`files_measured` of purpose `before`). Answered by `files_restored` or `files_unrestored`. */
export interface RestoreFiles {
	readonly kind: "restore_files";
	readonly key: string;
	readonly tree: string;
	readonly visit: number;
	/** Tree of the files before it, if already recorded. */
	readonly before: string | null;
}
