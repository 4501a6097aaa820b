// Decisions of the machine. Each is recorded in the same batch as the event that led to it, before anything acts on it.
import type { ChildrenPlanned } from "./child-event.ts";
import type { LaunchId, LaunchReason } from "./launch.ts";

export type DecisionEvent = AttemptReserved | ChildrenPlanned | Moved | ProviderAwaited | Parked | Finished;

/** Intent to launch a worker. Its allowance is derived from the run: the remainder of the limits is reserved for it. */
export interface AttemptReserved extends LaunchId {
	readonly kind: "attempt_reserved";
	readonly because: LaunchReason;
}

export type MoveCause =
	| "worker"
	/** The children of the state are joined. */
	| "children"
	/** The outcome of the state's command. */
	| "command"
	| "person"
	| "pair_limit"
	| "move_limit"
	| "attempt_limit"
	| "rejection_limit"
	| "no_progress"
	| "released"
	| "reopened"
	| "rewind";

/** The run moved from `from` to `to`. */
export interface Moved {
	readonly kind: "moved";
	readonly visit: number;
	readonly from: string;
	readonly to: string;
	readonly cause: MoveCause;
	/** The requested target, if it was refused. */
	readonly refused?: string;
}

export type ParkCause =
	| "person"
	| "no_transition"
	| "crash"
	/** The hosts of an engine have given the run up. */
	| "given_up"
	| "timeout"
	| "budget"
	/** The worker has asked the user. */
	| "question"
	| "quota"
	| "auth"
	| "provider"
	| "launch"
	| "guard"
	| "cleanup"
	| "storage"
	| "rewound"
	| "interrupted"
	| "workspace"
	/** The calls of one visit repeat without progress. */
	| "circling"
	/** A limit of one visit is reached. */
	| "visit_limit"
	/** The state's children cannot be planned, started or joined, or one of them waits for the user. */
	| "children"
	/** The state's command cannot be started, or nothing follows its outcome. */
	| "command"
	/** The parent run waits. */
	| "parent";

/** The run waits until a provider that fails can be tried again. It has no worker meanwhile. */
export interface ProviderAwaited {
	readonly kind: "provider_awaited";
	readonly visit: number;
	/** The first failure, the next try, and the end of the wait, ISO 8601. */
	readonly since: string;
	readonly next: string;
	readonly until: string;
	/** Failures so far. */
	readonly tries: number;
	/** What the provider answered, redacted, one line. */
	readonly detail: string;
}

/** The run waits for the user; it has no process. */
export interface Parked {
	readonly kind: "parked";
	/** `awaiting_approval`: a child asks for approval. `asks`: the worker, or one of a child, asks the user. */
	readonly status: "paused" | "budget_exceeded" | "awaiting_approval" | "asks";
	readonly cause: ParkCause;
	/** One sentence for the user. */
	readonly detail: string;
}

/** The run ended. */
export interface Finished {
	readonly kind: "finished";
	readonly status: "done" | "failed" | "aborted";
	readonly detail?: string;
}
