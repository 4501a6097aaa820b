// An event that does not apply: it changes nothing and is not recorded.
import type { Run } from "./run.ts";

export interface Refusal {
	readonly reason: /** It refers to a worker or a visit that has ended. */
		| "stale"
		/** It is not possible in the current stage. */
		| "unexpected"
		/** It was already answered, or the question has changed. */
		| "answered"
		/** It was decided for another visit or attempt. */
		| "earlier"
		| "over"
		| "illegal"
		| "limit"
		| "unknown_state";
	/** A sentence for the user or the model that sent the event. */
	readonly message: string;
}

export type Reduced = Run | Refusal;

export function refuse(reason: Refusal["reason"], message: string): Refusal {
	return { reason, message };
}

export function isRefusal(result: object): result is Refusal {
	return "message" in result;
}
