// Events about child runs. Each is recorded before anything depends on it.
import type { ChangeTotals, FileChange, FileLeft, MeasuredChanges, SnapshotData } from "../../snapshot/index.ts";
import type { ChildActivity, ChildSpend, JoinConflict, PlannedChild } from "./child-run.ts";
import type { RunDecision } from "./run-decision.ts";

export type ChildEvent = ChildParked | ChildSpent | ChildEnded | Joined | JoinApplied | JoinFailed;

/** The planned children of a visit. None of them exists before this event. Empty: no child is needed. */
export interface ChildrenPlanned {
	readonly kind: "children_planned";
	readonly visit: number;
	/** Files that each own folder starts with; `null` if they cannot be recorded. */
	readonly base: string | null;
	readonly files: "own" | "shared";
	readonly children: readonly PlannedChild[];
	/** Ids of the user's messages that their tasks contain; absent: none. */
	readonly told?: readonly number[];
}

/** The child's run waits for the user, or it could not be started. */
export interface ChildParked {
	readonly kind: "child_parked";
	readonly visit: number;
	readonly child: string;
	/** The status of its run; `paused` if it could not be started. */
	readonly status: ChildWait;
	/** One sentence for the user. */
	readonly detail: string;
	/** The run below it that waits for the user; absent: the child itself does, or in ledgers of earlier versions. */
	readonly below?: WaitingBelow;
}

export type ChildWait = "asks" | "awaiting_approval" | "paused" | "budget_exceeded" | "human_intervention";

/** A run that is a child of a child, or deeper, and the status in which it waits. */
export interface WaitingBelow {
	readonly run: string;
	readonly status: ChildWait;
}

/** Totals of the child so far, and what it does; a repeated report changes nothing. */
export interface ChildSpent extends ChildSpend {
	readonly kind: "child_spent";
	readonly visit: number;
	readonly child: string;
	/** The state of the child's run then; absent in ledgers of earlier versions. */
	readonly state?: string;
	/** What the child's run did then; absent if that is nothing to show, and in ledgers of earlier versions. */
	readonly activity?: ChildActivity;
}

/** The folder of a child that stays, because it has files that are nowhere else. */
export interface KeptChildFolder {
	/** Run id. */
	readonly child: string;
	/** Folder of its files, absolute. */
	readonly path: string;
	/** Those files, bounded, with the reason. */
	readonly files: readonly FileLeft[];
	/** Number of files that the list omits. */
	readonly more?: number;
}

/** A child's run ended. */
export interface ChildEnded {
	readonly kind: "child_ended";
	readonly visit: number;
	readonly child: string;
	readonly status: "done" | "failed" | "aborted";
	readonly detail: string;
	/** Its files; `null` if it shares those of this run, has not started, or they cannot be recorded. */
	readonly tree: string | null;
	/** The files that its folder started with; absent: the base of all children. */
	readonly base?: string;
	/** The files that it has changed, bounded; absent if they are unknown, or not its own. */
	readonly changes?: readonly FileChange[];
	/** Number of changes that the list omits. */
	readonly more?: number;
	/** Totals of all of its changes; absent in ledgers of earlier versions. */
	readonly changed?: ChangeTotals;
	/** The ignored files that it has made, as a clause; absent: none. */
	readonly ignored?: string;
	readonly total: ChildSpend;
	/** What this run keeps of the child's results, bounded. */
	readonly handover: {
		readonly summary: string;
		readonly data: SnapshotData;
		/** What the user decided in it; absent: nothing. */
		readonly decisions?: readonly RunDecision[];
		/** The output of its last state; absent if none. */
		readonly output?: unknown;
	};
}

/** The files of the run's folder and of the children are merged; the run's folder is still unchanged. */
export interface Joined {
	readonly kind: "joined";
	readonly visit: number;
	/** The child whose files were merged with those of the children joined before it, for the children that need it. Absent: those of all. */
	readonly child?: string;
	/** The files of the run's folder, or of the children joined before, that were merged. */
	readonly before: string;
	/** The result, with conflict markers if there are conflicts. */
	readonly tree: string;
	readonly conflicts: readonly JoinConflict[];
}

/** The run's folder has the merged files. */
export interface JoinApplied extends MeasuredChanges {
	readonly kind: "join_applied";
	readonly visit: number;
	readonly tree: string;
	/** Files that could not be written and are unchanged, bounded. */
	readonly left?: readonly FileLeft[];
	/** Number of such files that the list omits. */
	readonly leftMore?: number;
	/** Folders of children with files that could not be joined; absent: none. The run waits then. */
	readonly kept?: readonly KeptChildFolder[];
}

/** The files could not be merged or written; the run's folder is unchanged. */
export interface JoinFailed {
	readonly kind: "join_failed";
	readonly visit: number;
	readonly detail: string;
}
