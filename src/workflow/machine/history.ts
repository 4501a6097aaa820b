// What happened in a run, told from the states that the session holds: nothing of it is kept a second time.
import type { Way } from "./event.ts";
import type { StoredState } from "./stored.ts";

export interface Visit {
	readonly phaseId: string;
	readonly way: Way;
	/** ms since the epoch. */
	readonly from: number;
	readonly to: number;
	readonly summary: string | undefined;
}

/** The finished visits of a run, oldest first. `states` are those of one branch, newest first, possibly of several runs. */
export function foldHistory(states: Iterable<StoredState>, runId: string): Visit[] {
	const own: StoredState[] = [];
	for (const state of states) {
		// One run at a time: what lies before the states of this run belongs to another.
		if (state.taskId !== runId) break;
		own.push(state);
	}
	const visits: Visit[] = [];
	let before: StoredState | undefined;
	for (const state of own.reverse()) {
		const { left, since = state.startedAt } = state;
		const from = before?.since ?? state.startedAt;
		if (left)
			visits.push({
				phaseId: before?.currentPath.at(-1)?.phaseId ?? "",
				way: left.way,
				from,
				to: since,
				summary: left.summary,
			});
		before = state;
	}
	return visits;
}
