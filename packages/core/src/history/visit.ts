// One visit of a run, derived from its events: workers, waits, spend, files, and the move that ended it. Times are milliseconds since the epoch.
import {
	type ChildChoice,
	type CommandResult,
	commandEndText,
	type LaunchId,
	type LaunchReason,
	type MoveCause,
	type Run,
	type Spend,
	type WorkerOutcome,
} from "../machine/index.ts";
import type { ChangeTotals, CheckedOut, FileChange } from "../snapshot/index.ts";
import type { VisitChild } from "./visit-child.ts";

export interface Visit {
	readonly number: number;
	readonly state: string;
	readonly beganAt: number;
	/** `undefined` while the run is in the visit. */
	readonly endedAt: number | undefined;
	/** Rewind target; `undefined` until the files are measured. */
	readonly start: VisitStart | undefined;
	readonly launches: readonly Launch[];
	readonly waits: readonly Wait[];
	/** Its child runs, in join order; empty in a state with a worker. */
	readonly children: readonly VisitChild[];
	/** Which of its children was taken, where one is chosen; `undefined` while none is, and where all are joined. */
	readonly choice: ChildChoice | undefined;
	readonly spend: Spend;
	readonly activeMs: number;
	readonly toolCalls: number;
	readonly summary: string;
	/** Trees of the files at its start and, once it has ended or been measured, at its end. */
	readonly trees: { readonly before: string | undefined; readonly after: string | undefined };
	readonly files: VisitFiles;
	/** The move that ended it; also `undefined` if the run ended in it. */
	readonly left: NumberedMove | undefined;
	/** A rewind undid its files and findings, and no later one restored them. */
	readonly undone: boolean;
}

/** The run at the start of a visit. */
export interface VisitStart extends Pick<Run, "visit" | "state" | "snapshot" | "pairMoves"> {
	/** `null` if the files could not be measured. */
	readonly tree: string | null;
	/** What was checked out then; `undefined`: nothing, or unknown. */
	readonly checkedOut?: CheckedOut | undefined;
}

/** Changes made during a visit, measured after its last worker. */
interface VisitFiles {
	/** The compared trees; `undefined` if they were not measured. */
	readonly from: string | undefined;
	readonly to: string | undefined;
	readonly changes: readonly FileChange[];
	/** Number of changes that the ledger does not list. */
	readonly more: number;
	/** All changes; absent: `changes` lists all of them. */
	readonly total?: ChangeTotals | undefined;
	/** Why files could not be measured. */
	readonly unmeasured: string | undefined;
}

/** One worker process, or the command that does the state. */
export interface Launch extends LaunchId {
	readonly because: LaunchReason;
	/** When its start was decided. */
	readonly reservedAt: number;
	/** When it was running. */
	readonly startedAt: number | undefined;
	/** `undefined` if it was running at the last event. */
	readonly endedAt: number | undefined;
	readonly model: string | undefined;
	/** The command, redacted; absent: a worker, or it has not started. */
	readonly command?: string;
	/** Its process was started before it was needed. */
	readonly standby?: true;
	readonly end: LaunchEnd;
}

export interface LaunchEnd {
	readonly kind:
		| "moved"
		| "failed"
		| "rejected"
		| "stopped"
		| "crashed"
		| "timed_out"
		| "lost"
		| "unstarted"
		| "working";
	/** A verb phrase whose subject is the worker or the command. */
	readonly words: string;
}

/** A period in which the run could not continue on its own. */
export interface Wait {
	/** `interrupted`: no supervisor held the run. `over`: the run had ended before it was reopened. */
	readonly kind: "asks" | "approval" | "provider" | "paused" | "budget" | "human" | "interrupted" | "over";
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

/** Keys of the conversations of a visit's attempts, oldest first. Attempts that continue an earlier conversation have no key of their own. */
export function conversationsOf({ launches }: { readonly launches: readonly LaunchId[] }): string[] {
	const first = launches.filter(({ launch }) => launch === 1);
	return [...new Set(first.map(({ visit, attempt }) => `${visit}.${attempt}`))];
}

/**
 * The visit that a reader sees first: the last one that did something and counts. One without workers or children, such as an end state, has
 * nothing to show, and a rewind has undone what another one did.
 */
export function firstInSight(visits: readonly Visit[]): Visit | undefined {
	const worked = visits.filter(({ launches, children }) => launches.length + children.length > 0);
	return worked.findLast(({ undone }) => !undone) ?? visits.at(-1);
}

/** Describes how a command ended. */
export function commandEnd(result: CommandResult): LaunchEnd {
	const words = commandEndText(result);
	switch (result.kind) {
		case "exited":
			return { kind: result.code === 0 ? "moved" : "failed", words };
		case "killed":
			return { kind: "crashed", words };
		case "refused":
			return { kind: "unstarted", words };
		default:
			return { kind: result.kind, words };
	}
}

/** Describes how a worker ended. */
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
				budget: "reached a limit",
			};
			return { kind: "timed_out", words: words[outcome.limit] };
		}
	}
}
