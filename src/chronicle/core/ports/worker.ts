// Launching workers, and what they and the supervisor say to each other. Nothing here says that a worker is a process on this machine.
import type {
	LaunchFailed,
	LaunchId,
	ModelSwitched,
	Spend,
	ToolEnded,
	ToolStarted,
	TurnSettled,
	Used,
	WorkerOutcome,
	WorkerStarted,
} from "../machine/index.ts";
import type { StatePlan } from "../template/index.ts";
import type { Result } from "./result.ts";

export interface WorkerLauncher {
	/** What prevents running these states, checked before anything starts: unknown agents, models, unreadable rules. */
	check(states: readonly StatePlan[], signal?: AbortSignal): Promise<readonly LaunchProblem[]>;
	/**
	 * Starts the worker and sends its first message. Resolves once it has passed its handshake (`worker_started`), or has failed and nothing of
	 * it is left running. `signal` aborts a launch that has not passed its handshake: its process is stopped within a second.
	 */
	launch(order: LaunchOrder, host: WorkerHost, signal: AbortSignal): Promise<Result<Worker, LaunchFault>>;
	/** Redacts the secrets in the run's conversations in `folder`, except in `keep`: they will not be continued. */
	redactSessions(folder: string, keep?: string): Promise<void>;
	/** What the conversation `key` in `folder` has spent by its own record; `undefined` if it cannot be read. No process has it open. */
	readSpend(folder: string, key: string): Promise<Spend | undefined>;
	/** Stops every process that workers of this run left running, including workers without a supervisor. */
	stopOrphans(run: string): Promise<{ readonly stopped: number; readonly left: number }>;
}

export interface LaunchProblem {
	readonly state: string;
	readonly severity: "error" | "warning";
	readonly message: string;
	readonly remedy: string;
}

export type LaunchFault = Pick<LaunchFailed, "reason" | "detail">;

export interface LaunchOrder {
	readonly run: string;
	readonly launch: LaunchId;
	readonly state: StatePlan;
	/** Model for a state that names none, `provider/id`. */
	readonly model?: string;
	/** Folder that the worker works in. */
	readonly cwd: string;
	readonly conversation:
		| { readonly kind: "new"; readonly key: string }
		/** `optional`: start a new one under the same key if it is missing. */
		| { readonly kind: "continue"; readonly key: string; readonly optional: boolean };
	/** First message of this process, for a new and for a continued conversation. */
	readonly message: { readonly new: string; readonly continued: string };
	/** Targets that `workflow_transition` may name, for the tool's description. */
	readonly targets: readonly string[];
	readonly limits: WorkerLimits;
	/**
	 * What happens to a move that the continued conversation requested and that its process died over: `ask` repeats `requestMove` without the
	 * model; `drop` sends the model its message, as after a rejection.
	 */
	readonly unanswered: "ask" | "drop";
	/** Folder of the run's own files; the worker may read them. */
	readonly folder: string;
}

/** What this process may use from now on, in milliseconds, USD and tokens. Beyond a limit the worker itself refuses further tool calls. */
export interface WorkerLimits {
	readonly wallMs?: number;
	readonly idleMs: number;
	readonly activeMs?: number;
	readonly costUsd?: number;
	readonly tokens?: number;
	/** Of the visit; they do not change while the worker runs. */
	readonly requests?: number;
	readonly calls?: number;
	/** How long stopping at a boundary waits for the streaming message; 60 s by default. */
	readonly pauseMs?: number;
	readonly countCacheReads: boolean;
}

export interface Worker {
	/** With the start time of its process. */
	readonly started: Omit<WorkerStarted, "kind" | keyof LaunchId> & { readonly started: string };
	/** Sends the model a message as soon as it can take one; resolves then, with `false` if the worker ended first. */
	send(text: string): Promise<boolean>;
	/** Replaces the limits of its order, counted from now. */
	setLimits(limits: Pick<WorkerLimits, "activeMs" | "costUsd" | "tokens">): void;
	/** See `EndWorker`. Idempotent; `now` after `boundary` stops it at once. */
	stop(how: "boundary" | "now"): void;
	/** Resolves once its process is gone and all its reports are delivered; `stopOrphans` stops what it left running. Never rejects. */
	readonly ended: Promise<WorkerOutcome>;
}

export type WorkerReport =
	| Omit<ToolStarted, "visit" | "attempt">
	| Omit<ToolEnded, "visit" | "attempt">
	| Omit<Used, "visit" | "attempt">
	| Omit<ModelSwitched, "visit" | "attempt">
	| Omit<TurnSettled, "visit" | "attempt">;

/** The supervisor's side of a worker. Reports come in order, one after another. */
export interface WorkerHost {
	report(report: WorkerReport): void;
	/** `workflow_transition`. Resolves once the move is durable, or refused with what to do instead. */
	requestMove(target: string, summary: string): Promise<MoveReply>;
	/** `workflow_update_snapshot`. Resolves once the data is durable. */
	updateSnapshot(data: unknown): Promise<SnapshotReply>;
	/** A rule's `ask`, or a question of the model. Resolves with `undecided` if nobody answers. */
	ask(question: WorkerQuestion): Promise<WorkerAnswer>;
}

/** `text` is for the model. */
export type MoveReply =
	| { readonly kind: "accepted"; readonly text: string }
	| { readonly kind: "refused"; readonly text: string };

export type SnapshotReply =
	| { readonly kind: "saved"; readonly text: string }
	| { readonly kind: "refused"; readonly text: string };

export type WorkerQuestion =
	| { readonly kind: "confirm"; readonly title: string; readonly text: string }
	| { readonly kind: "choose"; readonly title: string; readonly options: readonly string[] }
	| { readonly kind: "input"; readonly title: string; readonly placeholder?: string };

export type WorkerAnswer =
	| { readonly kind: "confirmed" }
	| { readonly kind: "denied" }
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "undecided" };
