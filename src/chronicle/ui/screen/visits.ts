// The visits of a run, read off its events: what the pages let a person choose from. Pure.
import type { LedgerEvent, Run } from "../../core/index.ts";

export interface Visit {
	readonly visit: number;
	readonly state: string;
	readonly startedAt: string;
	/** Keys of the conversations that its attempts talked in, oldest first. */
	readonly conversations: readonly string[];
	readonly attempts: number;
}

interface Growing {
	visit: number;
	state: string;
	startedAt: string;
	conversations: string[];
	attempts: number;
}

/** Collects visits from events in order; give it to `takeVisitEvent` one by one. */
export function openVisits(run: Run): Map<number, Growing> {
	return new Map([
		[1, { visit: 1, state: run.plan.initial, startedAt: run.createdAt, conversations: [], attempts: 0 }],
	]);
}

/** Takes one event into the visits. */
export function takeVisitEvent(visits: Map<number, Growing>, event: LedgerEvent): void {
	switch (event.kind) {
		case "moved":
			visits.set(event.visit + 1, {
				visit: event.visit + 1,
				state: event.to,
				startedAt: event.at,
				conversations: [],
				attempts: 0,
			});
			return;
		case "attempt_reserved": {
			const visit = visits.get(event.visit);
			if (visit === undefined) return;
			visit.attempts = Math.max(visit.attempts, event.attempt);
			const key = `${event.visit}.${event.attempt}`;
			if (event.launch === 1 && !visit.conversations.includes(key)) visit.conversations.push(key);
			return;
		}
		default:
			return;
	}
}

/** The visits in order. */
export function listVisits(visits: ReadonlyMap<number, Growing>): Visit[] {
	return [...visits.values()].sort((a, b) => a.visit - b.visit);
}
