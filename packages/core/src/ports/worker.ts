// Launches workers, and defines the messages between them and the supervisor. This port does not assume that a worker is a local process.
import type { Place } from "../definition/index.ts";
import type {
	Allowance,
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
import type { OutputSchema, StatePlan } from "../template/index.ts";
import type { Result } from "./result.ts";
import type { WorkingCopy } from "./workspace.ts";

/** Whether shell commands run in a sandbox, and a sentence about it for people. */
export interface Containment {
	readonly contained: boolean;
	readonly line: string;
}

export interface WorkerLauncher {
	/** Problems that prevent running these states, checked before anything starts: unknown agents or models, unreadable rules. */
	check(states: readonly StatePlan[], options?: CheckOptions): Promise<readonly StateProblem[]>;
	/** What the workers of `states` can do, without those that cannot be set up. */
	abilities(states: readonly StatePlan[]): Promise<ReadonlyMap<StatePlan, WorkerAbilities>>;
	/** How the shell commands of `states` are contained; `undefined`: they have none. Absent: it starts no processes here. */
	containment?(states: readonly StatePlan[]): Promise<Containment | undefined>;
	/**
	 * Starts the worker and sends its first message. Resolves once it has passed its handshake (`worker_started`), or has failed and left
	 * nothing running. `signal` aborts a launch before the handshake: the process is stopped within a second.
	 */
	launch(order: LaunchOrder, host: WorkerHost, signal: AbortSignal): Promise<Result<Worker, LaunchFault>>;
	/**
	 * Keeps the worker of `order` on standby, as far as the settings and the machine allow it, and stops any other standby; `undefined`
	 * stops all. Until its launch a standby has done nothing: no request, no entry, no file of the project. A launch that differs from its
	 * order starts another worker. Resolves once the stopped standbys are gone; never rejects.
	 */
	keepReady(order: StandbyOrder | undefined): Promise<void>;
	/** Redacts the secrets in the run's conversations in `folder`, except `keep`. Redacted conversations will not be continued. */
	redactSessions(folder: string, keep?: string): Promise<void>;
	/** Spend of the conversation `key` in `folder` according to its own record; `undefined` if it cannot be read. No process has it open. */
	readSpend(folder: string, key: string): Promise<Spend | undefined>;
	/** Stops every process left running by workers of this run, including workers without a supervisor, except the standby. */
	stopOrphans(run: string): Promise<{ readonly stopped: number; readonly left: number }>;
}

export interface CheckOptions {
	readonly signal?: AbortSignal | undefined;
	/** Limits of the run. They and those of the states are compared with what pi can count of their models. Absent: not compared. */
	readonly ceilings?: Partial<Record<"costUsd" | "tokens", number>>;
}

/** What a worker can do besides reading. */
export interface WorkerAbilities {
	/** It has tools that edit files. */
	readonly edits: boolean;
	/** It runs shell commands. */
	readonly runs: boolean;
	/** It has tools of extensions, whose effects are unknown. */
	readonly other: boolean;
}

export interface LaunchProblem {
	/** Its path for the state of a child. */
	readonly state: string;
	readonly severity: "error" | "warning";
	readonly message: string;
	readonly remedy: string;
	/** Where it is written; absent if no file has been looked at. */
	readonly place?: Place;
}

/** A problem of one state. */
export interface StateProblem extends Omit<LaunchProblem, "place"> {
	/** Names of the fields that it is about, the most likely first. */
	readonly fields?: readonly string[];
}

export type LaunchFault = Pick<LaunchFailed, "reason" | "detail">;

export interface LaunchOrder {
	readonly run: string;
	readonly launch: LaunchId;
	readonly state: StatePlan;
	/** Model for a state that names none, `provider/id`. */
	readonly model?: string;
	/** The worker's working folder. */
	readonly cwd: string;
	/** The copy of the project that `cwd` is in; absent: `cwd` is in the project itself. */
	readonly copy?: WorkingCopy;
	readonly conversation:
		| { readonly kind: "new"; readonly key: string }
		/** `optional`: start a new one under the same key if it is missing. */
		| { readonly kind: "continue"; readonly key: string; readonly optional: boolean };
	/** First message of this process, for a new and for a continued conversation. */
	readonly message: { readonly new: string; readonly continued: string };
	/** Targets that `workflow_transition` accepts, for the tool's description. */
	readonly targets: readonly string[];
	/** What each target means, by name. */
	readonly meanings?: Readonly<Record<string, string>>;
	/** Names under which the worker is to save a list for child runs, each with a description of the list. */
	readonly lists?: Readonly<Record<string, string>>;
	/** JSON Schema of the data that it hands over; absent: none. */
	readonly output?: OutputSchema | undefined;
	/** Targets that need no such data. */
	readonly withoutOutput?: readonly string[];
	readonly limits: WorkerLimits;
	/**
	 * How to handle a move that the continued conversation requested before its process died: `ask` repeats `requestMove` without the model;
	 * `drop` sends the model its message, as after a rejection.
	 */
	readonly unanswered: "ask" | "drop";
	/** The answer to the question of the conversation to continue; absent: none, or its worker has been given it. */
	readonly answer?: LateAnswer;
	/** Folder of the run's own files; the worker may read them. */
	readonly folder: string;
	/** The run's files are those of the repository that contains `cwd`; absent: those of `cwd`. */
	readonly files?: "repository";
}

/** An answer for a worker whose process has ended since it asked. */
export interface LateAnswer {
	/** The call whose result it becomes. */
	readonly call: string;
	readonly result: string;
	/** The question and the answer, for a conversation that lacks the call. */
	readonly text: string;
	/** The model continues with the answer alone, without a message. */
	readonly alone: boolean;
}

/** What is known of a launch before it is intended. */
export interface StandbyOrder
	extends Pick<
		LaunchOrder,
		| "run"
		| "launch"
		| "state"
		| "model"
		| "cwd"
		| "copy"
		| "targets"
		| "meanings"
		| "lists"
		| "output"
		| "withoutOutput"
		| "folder"
		| "files"
	> {
	/** The run waits for the user: after a while the standby is given up. */
	readonly waits: boolean;
}

/** Limits of this process from now on, in milliseconds, USD and tokens. Beyond a limit, the worker itself refuses further tool calls. */
export interface WorkerLimits extends Allowance {
	readonly wallMs?: number;
	readonly idleMs: number;
	/** How long a stop at a boundary waits for the streaming message; 60 s by default. */
	readonly pauseMs?: number;
	readonly countCacheReads: boolean;
}

/** What a worker may use from now on. `counted`: the use of its conversation that this already takes into account. */
interface RenewedLimits extends Pick<WorkerLimits, "activeMs" | "costUsd" | "tokens"> {
	readonly counted: Spend;
}

export interface Worker {
	/** Includes the start time of its process. */
	readonly started: Omit<WorkerStarted, "kind" | keyof LaunchId> & { readonly started: string };
	/** Sends the model a message as soon as it can accept one. Resolves then, with `false` if the worker ended first. */
	send(text: string): Promise<boolean>;
	/** Makes `text` the result of a call that has asked the user. Idempotent. */
	reply(call: string, text: string): void;
	/** Replaces the limits of its launch order. */
	setLimits(limits: RenewedLimits): void;
	/** See `EndWorker`. Idempotent; `now` after `boundary` stops it immediately. */
	stop(how: "boundary" | "now"): void;
	/** Resolves once its process is gone and all its reports are delivered. `stopOrphans` stops the processes that it left running. Never rejects. */
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
	/** The launch has to wait. `why`: a sentence for the user. */
	waits(why: string): void;
	/** `workflow_transition`. Resolves once the move is durable, or refused with an alternative. `data`: the worker's output, unchecked. */
	requestMove(target: string, summary: string, data?: unknown): Promise<MoveReply>;
	/** The first message as it would be now, for a conversation that has lost it in a compaction. */
	brief(): Promise<string>;
	/** `workflow_update_snapshot`. Resolves once the data is durable. */
	updateSnapshot(data: unknown): Promise<SnapshotReply>;
	/** `ask_user`. Resolves once the question is durable, or refused; the answer comes with `Worker.reply`. */
	askUser(question: AskedOfUser): Promise<AskReply>;
	/** The `ask` of a rule, or of an extension of the worker. Resolves with `undecided` if nobody answers. */
	ask(question: WorkerQuestion): Promise<WorkerAnswer>;
}

/** `text` is for the model. */
export interface MoveReply {
	readonly kind: "accepted" | "refused";
	readonly text: string;
}

export interface SnapshotReply extends Pick<MoveReply, "text"> {
	readonly kind: "saved" | "refused";
}

export interface AskedOfUser {
	readonly call: string;
	readonly question: string;
	/** Proposed answers; empty: none. */
	readonly choices: readonly string[];
}

export type AskReply = { readonly kind: "asked" } | { readonly kind: "refused"; readonly text: string };

export type WorkerQuestion =
	| { readonly kind: "confirm"; readonly title: string; readonly text: string }
	| { readonly kind: "choose"; readonly title: string; readonly options: readonly string[] }
	| { readonly kind: "input"; readonly title: string; readonly placeholder?: string };

export type WorkerAnswer =
	| { readonly kind: "confirmed" }
	| { readonly kind: "denied" }
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "undecided" };
