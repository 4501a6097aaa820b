// What the supervisor needs from the outside: durable record, workers, files, people, time. Local files and processes are one set of
// implementations; an engine for many machines can be another. Nothing here says that a ledger is a file or that a worker is a process here.
// P1 what can go wrong is in the result; a port throws for nothing but its own bugs; P2 every implementation passes the port's contract suite.
import type {
	ApprovalQuestion,
	EventBody,
	LaunchFailed,
	LaunchId,
	LedgerEvent,
	ModelSwitched,
	PersonEvent,
	Run,
	Spend,
	ToolEnded,
	ToolStarted,
	TurnSettled,
	Used,
	WorkerOutcome,
	WorkerStarted,
} from "./machine/index.ts";
import type { FileChange, FileLeft } from "./snapshot/index.ts";
import type { StatePlan } from "./template/index.ts";

export type Result<T, F = Failure> =
	| { readonly ok: true; readonly value: T }
	| { readonly ok: false; readonly failure: F };

/** `reason` is stable; `message` and `remedy` are for the person. */
export interface Failure {
	readonly reason: string;
	readonly message: string;
	readonly remedy: string;
}

// ── the record ──

export interface StoreFailure extends Failure {
	readonly reason:
		| "exists"
		| "unknown"
		| "ambiguous"
		/** Another living supervisor has the run, or none is proved dead. */
		| "held"
		/** This lease has been taken over. */
		| "fenced"
		/** More than a holder reads. */
		| "too_long"
		| "corrupt"
		/** Written by a newer version. */
		| "newer"
		/** Another program's ledger: it is shown, never written. */
		| "foreign"
		| "no_space"
		| "io";
}

export interface LedgerStore {
	/** Writes the first event and takes the run's lease. The run is on disk, and readable, when this resolves. */
	create(first: EventBody & { readonly kind: "created" }): Promise<Result<HeldLedger, StoreFailure>>;
	/** Takes the lease of run `id` and folds it. A torn end is cut and reported in `repairs`. */
	open(id: string): Promise<Result<HeldLedger, StoreFailure>>;
	/** Reads without taking the lease; never writes. */
	read(id: string): Promise<Result<ReadLedger, StoreFailure>>;
	/** Every run the store knows, newest first; unreadable and foreign ones too, with what is wrong with them. */
	list(): Promise<readonly LedgerEntry[]>;
	/** The id that `name` stands for: an id, a unique beginning of one, or `last`. */
	find(name: string): Promise<Result<string, StoreFailure>>;
	/** Leaves a person's event for the supervisor that holds the run. */
	post(id: string, event: PersonEvent): Promise<Result<Post, StoreFailure>>;
	/** Takes the run away with everything that it keeps; never one that a living supervisor has (`held`). */
	remove(id: string): Promise<Result<{ readonly bytes: number }, StoreFailure>>;
}

/** A person's event that was left for the holder of a run. */
export interface Post {
	state(): Promise<PostState>;
	/** Takes it back; `false` where it has been taken. */
	withdraw(): Promise<boolean>;
}

export type PostState =
	| { readonly kind: "waiting" }
	| { readonly kind: "taken" }
	| { readonly kind: "refused"; readonly reason: string };

/** What a holder does with what people leave for it. */
export interface PostListener {
	/** Resolves with why the event was refused. `at`: when it was posted, in milliseconds since the epoch. */
	event(event: PersonEvent, at: number): Promise<string | undefined>;
	/** A post could not be read, and is kept as `path`. */
	unread(path: string, why: string): Promise<void>;
}

export interface ReadLedger {
	readonly run: Run;
	/** What had to be repaired or was found missing, in words. */
	readonly repairs: readonly string[];
	/** Whoever holds the run now. */
	readonly holder: LeaseHolder | undefined;
	/** Where the whole record can be read, in words for people and agents: a path here. */
	readonly place: string;
	/** Folder for what belongs to the run and is not an event: conversations, kept files, reports. */
	readonly folder: string;
	/** All events after `seq`, in order. */
	events(after?: number): AsyncIterable<LedgerEvent>;
}

export interface HeldLedger extends ReadLedger {
	readonly fence: number;
	/** Whether the lease is still this one's: to be asked before anything is done that another holder may be doing. */
	holdsLease(): Promise<boolean>;
	/** Why it is not. */
	leaseLoss(): Promise<StoreFailure>;
	/**
	 * Appends in order and numbers them, secrets taken out: the events that it gives back are what counts. `durable`: they are on disk when this resolves, and so is everything before them.
	 * Nothing is appended when it fails.
	 */
	append(
		bodies: readonly EventBody[],
		durability: "durable" | "soon",
	): Promise<Result<readonly LedgerEvent[], StoreFailure>>;
	/** Replaces the folded state. `if due`: only where reading what came after it would take long. */
	checkpoint(run: Run, when?: "now" | "if due"): Promise<Result<void, StoreFailure>>;
	/**
	 * Gives `listener` each event posted to this run, one after another, those that already wait first, until the ledger is released.
	 * An event is forgotten once the listener's promise resolves, and kept for the next holder when it rejects; it may come again after a
	 * crash. Resolves once those that already wait have been given.
	 */
	onPosted(listener: PostListener): Promise<void>;
	/** Writes what is still to be written and gives the lease back. */
	releaseLease(): Promise<void>;
}

export interface LeaseHolder {
	readonly host: string;
	readonly pid: number;
	readonly started: string;
	readonly fence: number;
	/** `unknown`: another host. */
	readonly alive: "yes" | "no" | "unknown";
}

export type LedgerEntry =
	| {
			readonly kind: "run";
			readonly id: string;
			readonly summary: RunSummary;
			readonly holder: LeaseHolder | undefined;
	  }
	/** Another implementation's ledger. */
	| {
			readonly kind: "foreign";
			readonly id: string;
			readonly summary: RunSummary;
			readonly format: string;
			readonly story: ForeignStory;
	  }
	| { readonly kind: "unreadable"; readonly id: string; readonly failure: StoreFailure };

/** What another implementation's ledger tells beside its summary. */
export interface ForeignStory {
	/** Oldest first; `at` is ISO 8601, empty where it is not known. */
	readonly history: readonly {
		readonly state: string;
		readonly who: string;
		readonly at: string;
		readonly tokens: number;
		readonly summary: string;
	}[];
	readonly findings: readonly string[];
	readonly pendingTasks: readonly string[];
	readonly files: readonly string[];
}

export interface RunSummary {
	readonly template: string;
	readonly task: string;
	readonly status: string;
	readonly state: string;
	readonly updatedAt: string;
	readonly costUsd: number;
	readonly tokens: number;
}

// ── workers ──

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

// ── files ──

export interface WorkspaceFailure extends Failure {
	readonly reason:
		| "no_git"
		| "too_big"
		| "no_space"
		| "unknown_tree"
		/** Something lies where files would come back and cannot be kept; nothing was changed. */
		| "in_the_way"
		/** The files are not in the state that was expected; nothing was changed, or not all. */
		| "changed"
		/** The caller's signal has aborted it. */
		| "stopped"
		| "timed_out"
		| "io";
}

/** A kept state of the files. */
export interface KeptFiles {
	/** Its name; equal files have equal names. */
	readonly tree: string;
	/** What is not in it as it is now, because it could not be read: nothing is known of it. */
	readonly unkept: readonly FileLeft[];
	/** What the person should know, such as that a damaged store was begun anew. */
	readonly notes: readonly string[];
}

/** Every operation is bounded in time (`timed_out`); one with a signal ends within 3 s after it aborts. */
export interface Workspace {
	/** Readies the folder that attempt `attempt` works in, with the files of `tree` (`undefined`: as they are). */
	open(tree: string | undefined, attempt: string): Promise<Result<{ readonly cwd: string }, WorkspaceFailure>>;
	/**
	 * Keeps all files as they are now. `towards`: also whatever else `restore` to that state would overwrite, such as ignored files; it fails
	 * with `in_the_way` where that cannot be kept.
	 */
	snapshot(options?: {
		readonly towards?: string;
		readonly signal?: AbortSignal;
	}): Promise<Result<KeptFiles, WorkspaceFailure>>;
	/** What differs between two kept states, sorted by path; at most `limit` of them. */
	changes(
		from: string,
		to: string,
		limit: number,
		signal?: AbortSignal,
	): Promise<Result<{ readonly changes: FileChange[]; readonly more: number }, WorkspaceFailure>>;
	/** The same as a unified diff of at most `bytes` bytes, of one path if named. */
	patch(from: string, to: string, bytes: number, path?: string): Promise<Result<string, WorkspaceFailure>>;
	/** What `restore` would do to the files as they are now; nothing is changed. */
	preview(
		tree: string,
		limit: number,
		signal?: AbortSignal,
	): Promise<
		Result<
			{
				readonly changes: readonly FileChange[];
				readonly more: number;
				readonly left: readonly FileLeft[];
				/** What lies in the way and cannot be kept: `restore` would refuse. */
				readonly blocked: readonly FileLeft[];
			},
			WorkspaceFailure
		>
	>;
	/**
	 * Brings the files back to `tree`; what is ignored stays. `expected`: the last kept state; where the files are in another one by now,
	 * nothing is changed (`changed`). `before`: the state in which a rewind began that was cut off; what was no part of it is not deleted.
	 * `left` is what is not back; `tree` names the files as they are then.
	 */
	restore(
		tree: string,
		options?: { readonly expected?: string; readonly before?: string; readonly signal?: AbortSignal },
	): Promise<Result<{ readonly tree: string; readonly left: readonly FileLeft[] }, WorkspaceFailure>>;
	/** Makes `tree` known outside as the state of the run after event `seq`. Repeating it changes nothing. */
	publish(tree: string, seq: number): Promise<Result<void, WorkspaceFailure>>;
}

// ── people, commands, time ──

export interface Approver {
	/** Shows the question if somebody is there. `undecided`: nobody is, or they put it off; it is asked again later. */
	approve(question: ApprovalQuestion, run: Run, signal: AbortSignal): Promise<Approval>;
	/** Shows a worker's question. */
	answer(question: WorkerQuestion, run: Run, signal: AbortSignal): Promise<WorkerAnswer>;
}

export type Approval =
	| { readonly kind: "approved"; readonly words?: string }
	| { readonly kind: "rejected"; readonly words: string }
	/** To another state than the one that was asked for. */
	| { readonly kind: "sent"; readonly to: string; readonly words?: string }
	| { readonly kind: "undecided" };

export interface CommandRunner {
	/** Runs a cleanup text in the run's folder, in its own process group; output is cut and redacted. */
	run(command: string, cwd: string, timeoutMs: number, signal: AbortSignal): Promise<CommandResult>;
}

export interface CommandResult {
	readonly result:
		| { readonly kind: "exited"; readonly code: number }
		| { readonly kind: "killed"; readonly signal: string }
		| { readonly kind: "timed_out" }
		| { readonly kind: "unstarted"; readonly detail: string }
		| { readonly kind: "refused"; readonly detail: string };
	readonly output: string;
}

export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Starts a clock of the time in which this process runs, for durations; absent: `now` serves for them too. */
	awake?(): { now(): number; close(): void };
	/** Resolves after `ms`, or at once when `signal` aborts. */
	sleep(ms: number, signal: AbortSignal): Promise<void>;
}

// ── all of them ──

/** What one supervision works with, beside the ledger it holds. */
export interface SupervisorPorts {
	readonly launcher: WorkerLauncher;
	readonly workspace: Workspace;
	readonly approver: Approver;
	readonly commands: CommandRunner;
	readonly clock: Clock;
	/** This process, as the ledger names it. */
	readonly self: { readonly host: string; readonly pid: number; readonly started: string };
}
