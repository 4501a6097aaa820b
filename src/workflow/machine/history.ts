// The history of a run, derived from the states in the session.
import type { ExitKind } from "./event.ts";
import type { StoredState } from "./stored.ts";

/** A state and the time at which it was written, in ms since the epoch. */
export interface DatedState {
	readonly state: StoredState;
	readonly at: number;
}

export interface PhaseVisit {
	readonly phaseId: string;
	/** How it ended; `undefined`: it is the current visit, or the run was cancelled in it. */
	readonly way: ExitKind | undefined;
	/** ms since the epoch. */
	readonly from: number;
	readonly to: number;
	/** How long the run was paused or pi was closed, in ms. */
	readonly paused: number;
	readonly summary: string | undefined;
}

/**
 * The visits of a run, oldest first; the current one lasts until `now` (ms since the epoch). `states` are those of one branch, newest first,
 * possibly of several runs.
 */
export function foldHistory(states: Iterable<DatedState>, runId: string, now: number): PhaseVisit[] {
	const own: DatedState[] = [];
	for (const dated of states) {
		// Runs do not overlap: what precedes the states of this run belongs to another one.
		if (dated.state.taskId !== runId) break;
		own.push(dated);
	}
	const visits: PhaseVisit[] = [];
	let before: StoredState | undefined;
	let pausedSince: number | undefined;
	let paused = 0;
	const close = (to: number, left: StoredState["left"]) => {
		const from = before?.since ?? before?.startedAt ?? to;
		const phaseId = before?.currentPath.at(-1)?.phaseId ?? "";
		visits.push({ phaseId, way: left?.way, from, to, paused, summary: left?.summary });
		paused = 0;
	};
	for (const { state, at } of own.reverse()) {
		// A paused run that is moved stays paused: its pause is divided between the two visits.
		if (pausedSince !== undefined) paused += Math.max(0, at - pausedSince);
		paused += state.away ?? 0;
		if (state.left) close(state.since ?? state.startedAt, state.left);
		else if (!state.active) close(at, undefined);
		pausedSince = state.paused ? at : undefined;
		before = state;
	}
	if (before?.active) {
		if (pausedSince !== undefined) paused += Math.max(0, now - pausedSince);
		close(now, undefined);
	}
	return visits;
}

/** How long a visit took without pauses, in ms. */
export function activeTime({ from, to, paused }: PhaseVisit): number {
	return Math.max(0, to - from - paused);
}
