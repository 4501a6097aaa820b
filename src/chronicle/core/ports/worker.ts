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
	/** What stands in the way of running these states, before anything is started: unknown agents, models, unreadable rules. `signal` calls it off. */
	check(states: readonly StatePlan[], signal?: AbortSignal): Promise<readonly LaunchProblem[]>;
	/**
	 * Starts the worker and gives it its first message. Resolves once it has passed its handshake (`worker_started`), or has failed to;
	 * then nothing of it is left running. `signal` ends a launch that has not passed its handshake: its process is stopped within a second.
	 */
	launch(order: LaunchOrder, host: WorkerHost, signal: AbortSignal): Promise<Result<Worker, LaunchFault>>;
	/** Nobody will go on with the run's conversations in `folder` any more, but for `keep`: what is secret in them goes. */
	redactSessions(folder: string, keep?: string): Promise<void>;
	/** What the conversation `key` in `folder` has used by its own record; `undefined` where there is none to read. No process has it open. */
	readSpend(folder: string, key: string): Promise<Spend | undefined>;
	/** Stops every process that workers of this run left behind, a worker without a supervisor included. */
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
		/** `optional`: begin a new one under the same key if it is not there. */
		| { readonly kind: "continue"; readonly key: string; readonly optional: boolean };
	/** First message of this process, by what became of the conversation. */
	readonly message: { readonly new: string; readonly continued: string };
	/** Targets that `workflow_transition` may name, for the tool's description. */
	readonly targets: readonly string[];
	readonly limits: WorkerLimits;
	/**
	 * What becomes of a move that the continued conversation asked for and that nobody answered before its process died: `ask` asks
	 * `requestMove` again without troubling the model; `drop` gives the model its message. `drop` after a rejection.
	 */
	readonly unanswered: "ask" | "drop";
	/** Files that the supervisor keeps for this run; the worker may read them. */
	readonly folder: string;
}

/** Milliseconds, USD, tokens: what this process may use from here on. Crossing one refuses further tool calls in the worker itself. */
export interface WorkerLimits {
	readonly wallMs?: number;
	readonly idleMs: number;
	readonly activeMs?: number;
	readonly costUsd?: number;
	readonly tokens?: number;
	/** Of the visit; never changed while the worker works. */
	readonly requests?: number;
	readonly calls?: number;
	/** Time that ending at a boundary waits for the message that streams; 60 s by default. */
	readonly pauseMs?: number;
	readonly countCacheReads: boolean;
}

export interface Worker {
	/** With the start mark of its process. */
	readonly started: Omit<WorkerStarted, "kind" | keyof LaunchId> & { readonly started: string };
	/** Gives the model a message as soon as it can take one; resolves once it has, `false` if the worker ended first. */
	send(text: string): Promise<boolean>;
	/** New ceilings in place of those of its order, counted from now: a person has changed the run's limits. */
	setLimits(limits: Pick<WorkerLimits, "activeMs" | "costUsd" | "tokens">): void;
	/** See `EndWorker`. Idempotent; `now` after `boundary` hastens it. */
	stop(how: "boundary" | "now"): void;
	/** Resolves once its process is gone and every report of it has been given; what it left running is `stopStrays`'s. Never rejects. */
	readonly ended: Promise<WorkerOutcome>;
}

export type WorkerReport =
	| Omit<ToolStarted, "visit" | "attempt">
	| Omit<ToolEnded, "visit" | "attempt">
	| Omit<Used, "visit" | "attempt">
	| Omit<ModelSwitched, "visit" | "attempt">
	| Omit<TurnSettled, "visit" | "attempt">;

/** The supervisor's side of a worker. Reports are given in order, one after another. */
export interface WorkerHost {
	report(report: WorkerReport): void;
	/** `workflow_transition`. Resolves once the move is durable, or refused with what to do instead. */
	requestMove(target: string, summary: string): Promise<MoveReply>;
	/** `workflow_update_snapshot`. Resolves once the data is durable. */
	updateSnapshot(data: unknown): Promise<SnapshotReply>;
	/** A rule's `ask`, or a question of the model. Resolves with `undecided` where nobody answers. */
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
