// A worker launch: its identity, its key, and the reason for it.

export interface AttemptId {
	readonly visit: number;
	readonly attempt: number;
}

/** Identifies one launch: process `launch` of attempt `attempt` of visit `visit`. */
export interface LaunchId extends AttemptId {
	readonly launch: number;
}

/** `<visit>.<attempt>.<launch>`. */
export function launchKey({ visit, attempt, launch }: LaunchId): string {
	return `${visit}.${attempt}.${launch}`;
}

/** Why a worker is launched. */
export type LaunchReason =
	| "entered"
	| "interrupted"
	| "crashed"
	| "timed_out"
	| "provider_error"
	| "resumed"
	| "rejected"
	| "repeated"
	| "session_lost"
	/** The user has answered the worker's question. */
	| "answered";
