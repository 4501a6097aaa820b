// What the machine decides, recorded in the same batch as the event that led to it and before anything acts on it.
import type { LaunchId, LaunchReason } from "./launch.ts";

export type DecisionEvent = AttemptReserved | Moved | Parked | Finished;

/** Intent to launch a worker. What it may spend follows from the run: the remainder of the ceilings is set aside for it. */
export interface AttemptReserved extends LaunchId {
	readonly kind: "attempt_reserved";
	readonly because: LaunchReason;
}

export type MoveCause =
	| "worker"
	| "person"
	| "pair_limit"
	| "move_limit"
	| "attempt_limit"
	| "rejection_limit"
	| "no_progress"
	| "released"
	| "reopened"
	| "rewind";

/** The run has left `from` for `to`. */
export interface Moved {
	readonly kind: "moved";
	readonly visit: number;
	readonly from: string;
	readonly to: string;
	readonly cause: MoveCause;
	/** Target that was asked for and not granted. */
	readonly refused?: string;
}

export type ParkCause =
	| "person"
	| "no_transition"
	| "crash"
	| "timeout"
	| "budget"
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
	/** The calls of one visit went round. */
	| "circling"
	/** A ceiling of one visit is reached. */
	| "visit_limit";

/** The run waits for a person; no process belongs to it. */
export interface Parked {
	readonly kind: "parked";
	readonly status: "paused" | "budget_exceeded";
	readonly cause: ParkCause;
	/** One sentence for the person. */
	readonly detail: string;
}

export interface Finished {
	readonly kind: "finished";
	readonly status: "done" | "failed" | "aborted";
	readonly detail?: string;
}
