// A launch of a worker: its identity, its name in keys and texts, and why it happens.

/** Names one launch: the `launch`-th process of attempt `attempt` of visit `visit`. */
export interface LaunchId {
	readonly visit: number;
	readonly attempt: number;
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
	| "session_lost";
