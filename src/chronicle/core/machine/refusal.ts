// An event that does not apply: it changes nothing and is not recorded.
import type { Run } from "./run.ts";

export interface Refusal {
	readonly reason: /** About a worker or a visit that is over. */
		| "stale"
		/** The run is not at a point where this can happen. */
		| "unexpected"
		/** It was answered before, or the question has changed. */
		| "answered"
		/** It was decided in view of another visit or attempt. */
		| "earlier"
		| "over"
		| "illegal"
		| "limit"
		| "unknown_state";
	/** A sentence for the person or the model whose event it is. */
	readonly message: string;
}

export type Reduced = Run | Refusal;

export function refuse(reason: Refusal["reason"], message: string): Refusal {
	return { reason, message };
}

export function isRefusal(result: object): result is Refusal {
	return "message" in result;
}
