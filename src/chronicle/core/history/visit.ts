// One visit of a run as its events tell it: its workers, waits, spend, files, and how it was left. Times are milliseconds since the epoch.
import type { LaunchId, LaunchReason, MoveCause, Spend, WorkerOutcome } from "../machine/index.ts";
import type { FileChange, Snapshot } from "../snapshot/index.ts";

export interface Visit {
	readonly number: number;
	readonly state: string;
	readonly beganAt: number;
	/** `undefined`: the run is still in it. */
	readonly endedAt: number | undefined;
	/** What a rewind returns to; `undefined` until the files were measured. */
	readonly start: VisitStart | undefined;
	readonly launches: readonly Launch[];
	readonly waits: readonly Wait[];
	readonly spend: Spend;
	readonly activeMs: number;
	readonly toolCalls: number;
	readonly summary: string;
	/** Kept states of the files at its start and, where it is over or was measured, at its end. */
	readonly trees: { readonly before: string | undefined; readonly after: string | undefined };
	readonly files: VisitFiles;
	/** The move by which it was left; `undefined` also where the run ended. */
	readonly left: NumberedMove | undefined;
}

/** Where a visit began, and what was known then. */
export interface VisitStart {
	readonly visit: number;
	readonly state: string;
	/** `null`: its files could not be measured. */
	readonly tree: string | null;
	readonly snapshot: Snapshot;
	readonly pairMoves: Readonly<Record<string, number>>;
}

/** Changes of a visit, as they were measured after its last worker. */
export interface VisitFiles {
	/** The trees that were compared; `undefined` where they were not measured. */
	readonly from: string | undefined;
	readonly to: string | undefined;
	readonly changes: readonly FileChange[];
	/** Changes that the ledger does not list. */
	readonly more: number;
	/** Why files could not be measured. */
	readonly unmeasured: string | undefined;
}

/** One worker process. */
export interface Launch extends LaunchId {
	readonly because: LaunchReason;
	readonly startedAt: number | undefined;
	/** `undefined`: it was running at the last event. */
	readonly endedAt: number | undefined;
	readonly model: string | undefined;
	readonly end: LaunchEnd;
}

export interface LaunchEnd {
	readonly kind: "moved" | "rejected" | "stopped" | "crashed" | "timed_out" | "lost" | "unstarted" | "working";
	/** A phrase. */
	readonly words: string;
}

/** Time in which nothing was done because somebody had to do something first. */
export interface Wait {
	/** `interrupted`: there was no supervisor. `over`: the run had ended, and was reopened. */
	readonly kind: "approval" | "paused" | "budget" | "human" | "interrupted" | "over";
	readonly from: number;
	readonly to: number;
}

export interface NumberedMove {
	/** From 1. */
	readonly number: number;
	readonly from: string;
	readonly to: string;
	readonly cause: MoveCause;
	readonly at: number;
	readonly refused: string | undefined;
}

/** Keys of the conversations of a visit's attempts, oldest first. An attempt that continues an earlier conversation has none of its own. */
export function conversationsOf({ launches }: Visit): string[] {
	const first = launches.filter(({ launch }) => launch === 1);
	return [...new Set(first.map(({ visit, attempt }) => `${visit}.${attempt}`))];
}

/** How a worker ended. */
export function endPhrase(outcome: WorkerOutcome): LaunchEnd {
	switch (outcome.kind) {
		case "lost":
			return { kind: "lost", words: "was lost with its supervisor" };
		case "stopped":
			return { kind: "stopped", words: "was ended" };
		case "exited": {
			const detail = outcome.detail ? `: ${outcome.detail}` : "";
			return { kind: "crashed", words: `ended by itself with exit code ${outcome.code}${detail}` };
		}
		case "killed": {
			const detail = outcome.detail ? `: ${outcome.detail}` : "";
			return { kind: "crashed", words: `was killed by ${outcome.signal}${detail}` };
		}
		case "timed_out": {
			const words = {
				idle: "was silent for too long",
				wall: "took too long",
				budget: "reached a ceiling",
			};
			return { kind: "timed_out", words: words[outcome.limit] };
		}
	}
}
