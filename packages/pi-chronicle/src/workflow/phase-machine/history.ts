// The history of a run, derived from the states in the session.
import type { EndedVisit, ExitKind } from "./event.ts";
import type { StoredState } from "./stored.ts";

/** A state and the time at which it was written, in ms since the epoch. */
export interface DatedState {
	readonly state: StoredState;
	readonly at: number;
}

export interface PhaseVisit extends Omit<EndedVisit, "way"> {
	readonly phaseId: string;
	/** How it ended; `undefined`: it is the current visit, or the run was cancelled in it. */
	readonly way: ExitKind | undefined;
	/** ms since the epoch. */
	readonly from: number;
	readonly to: number;
	/** How long the run was paused or pi was closed, in ms. */
	readonly paused: number;
}

/**
 * The visits of a run, oldest first; the current one lasts until `now` (ms since the epoch). `states` are those of one branch, newest first,
 * possibly of several runs.
 */
export function foldHistory(states: Iterable<DatedState>, runId: string, now: number): PhaseVisit[] {
	const fold = new HistoryFold();
	for (const dated of statesOf(states, runId).reverse()) fold.add(dated);
	return fold.end(now);
}

/** The states of one run, newest first. Runs do not overlap: everything before the states of this run belongs to another one. */
function statesOf(states: Iterable<DatedState>, runId: string): DatedState[] {
	const own: DatedState[] = [];
	for (const dated of states) {
		if (dated.state.taskId !== runId) break;
		own.push(dated);
	}
	return own;
}

class HistoryFold {
	private readonly visits: PhaseVisit[] = [];
	private last: StoredState | undefined;
	private pausedSince: number | undefined;
	private paused = 0;

	/** Adds the next state, oldest first. */
	add({ state, at }: DatedState): void {
		// A paused run that is moved stays paused: its pause is divided between the two visits.
		this.countPause(at);
		this.paused += state.away ?? 0;
		if (state.left) this.close(state.since ?? state.startedAt, state.left);
		else if (!state.active) this.close(at, undefined);
		this.pausedSince = state.paused ? at : undefined;
		this.last = state;
	}

	end(now: number): PhaseVisit[] {
		if (!this.last?.active) return this.visits;
		this.countPause(now);
		this.close(now, undefined);
		return this.visits;
	}

	private countPause(until: number): void {
		if (this.pausedSince !== undefined) this.paused += Math.max(0, until - this.pausedSince);
	}

	private close(to: number, left: StoredState["left"]): void {
		const { last, paused } = this;
		const from = last?.since ?? last?.startedAt ?? to;
		const phaseId = last?.currentPath.at(-1)?.phaseId ?? "";
		this.visits.push({ phaseId, way: undefined, from, to, paused, ...left });
		this.paused = 0;
	}
}

/** How long a visit took without pauses, in ms. */
export function activeTime({ from, to, paused }: PhaseVisit): number {
	return Math.max(0, to - from - paused);
}
