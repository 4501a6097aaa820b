// The child runs of the current state: which have ended, and what follows. Pure.
// A child's spend counts in the parent as the difference to the amount counted before.
import type { ChangeTotals } from "../../snapshot/index.ts";
import type { JoinOfCopy } from "./apart.ts";
import type { ChildWait, Joined, WaitingBelow } from "./child-event.ts";
import type { ChildActivity, ChildSpend, ConflictChoice, PlannedChild } from "./child-run.ts";
import type { RewindRequested } from "./user-event.ts";

export type ChildStatus =
	/** Needs supervision as soon as a slot is free, or is supervised now. */
	| "pending"
	/** Its own run waits for the user, or it could not be started. */
	| "parked"
	| "done"
	| "failed"
	| "aborted"
	/** The user continues without it. */
	| "dropped";

export interface ChildRun extends PlannedChild {
	readonly status: ChildStatus;
	/** The status of its run while it is parked; `paused` if it could not be started. */
	readonly waits: ChildWait | null;
	/** The run below it that waits for the user; absent: the child itself does. */
	readonly below?: WaitingBelow;
	/** Why it waits or failed; empty if there is no reason. */
	readonly detail: string;
	/** The spend that the parent has counted. */
	readonly counted: ChildSpend;
	/** Its result once it has finished; `null` if it shares the parent's files, or they are unknown. */
	readonly tree: string | null;
	/** The files that its folder started with; `null`: those in `from`, or of the group. */
	readonly base: string | null;
	/** Of children that need each other: it may be supervised. Absent: not yet. */
	readonly begun?: true;
	/** The files of the children joined when it began. */
	readonly from?: string;
	/** `seq` of its end. */
	readonly ended?: number;
	/** Those that need it may begin. Absent: not yet. */
	readonly joined?: true;
	/** Its files conflict with those joined before. */
	readonly conflict?: JoinProgress;
	readonly summary: string;
	/** What it has changed; absent before its end, and if that is unknown. */
	readonly changed?: ChangeTotals;
	/** Its output; absent if none. */
	readonly output?: unknown;
	/** The state of its run at its last report; absent before. */
	readonly state?: string;
	/** What its run did at its last report; absent if that is nothing to show, or it does not run. */
	readonly activity?: ChildActivity;
	/** The parent's entries from this number on are not known to it: they were saved after it was planned. Absent in earlier versions. */
	readonly knows?: number;
	/** How often it became pending. */
	readonly starts: number;
	/** A user command arrived while it was supervised: it must be supervised again after it parks. */
	readonly signaled: boolean;
	/** With `dropped`: its run is still to be ended, so that this one keeps what it knows. Absent: not. */
	readonly dropping?: true;
	/** The user resumed this run: a child that is paused or reached a limit is resumed too. Absent: not. */
	readonly resume?: true;
}

export interface ChildGroup {
	readonly visit: number;
	readonly state: string;
	/** Files at the start; `null` if they cannot be recorded. */
	readonly base: string | null;
	readonly files: "own" | "shared";
	/** The files of the children joined so far, `null` if they share the run's; absent: no child needs another. */
	readonly joined?: string | null;
	readonly children: readonly ChildRun[];
	/** Unsettled children are stopped, then `after` follows. */
	readonly stopping: { readonly how: "pause" | "abort"; readonly after: AfterChildren } | null;
	/** `joining`: enough children are done, and their files are merged and written. */
	readonly phase: "working" | "joining";
	/** The last merge; `null`: none yet. */
	readonly join: JoinProgress | null;
	/** The files of one child are joined after it was chosen in a later state; then the run moves to `to`, or ends. */
	readonly taking?: { readonly to: string | null; readonly choice: ChildChoice };
	/** The only child is the copy that the run has worked in, which is joined into the project. Absent: the children are runs. */
	readonly ofCopy?: JoinOfCopy;
}

/** The children of a visit of which one is to be chosen. */
export interface Candidates {
	readonly group: ChildGroup;
	/** State whose worker chooses. */
	readonly judge: string;
	/** Name of the chosen child; `null`: none yet. */
	readonly winner: string | null;
	/** The user has chosen it, instead of the one that the worker named. */
	readonly override?: { readonly insteadOf: string; readonly words: string };
}

/** Which of the children of a visit was taken. */
export interface ChildChoice {
	/** State and visit of the children. */
	readonly state: string;
	readonly visit: number;
	/** The visit in which one was chosen. */
	readonly madeIn: number;
	/** Name of the child whose files were joined; `null`: none. */
	readonly winner: string | null;
	readonly by: "worker" | "person";
	/** The child that the worker named, if the user took another one. */
	readonly insteadOf?: string;
	/** The worker's summary, or what the user wrote; may be empty. */
	readonly why: string;
}

export type AfterChildren =
	/** The run waits for the reason in its `hold`. */
	| { readonly kind: "park" }
	| { readonly kind: "join" }
	| { readonly kind: "finish"; readonly status: "done" | "failed" | "aborted"; readonly detail: string }
	| { readonly kind: "move"; readonly to: string }
	| { readonly kind: "rewind"; readonly rewind: RewindRequested };

/** The merge of the children's files and of those in the run's folder. */
export interface JoinProgress extends Pick<Joined, "before" | "tree" | "conflicts"> {
	/** The files are written, and the run waits because of files that could not be. Absent: not. */
	readonly isApplied?: true;
	/** Number of merges so far. */
	readonly round: number;
	/** How the user resolves the conflicts. */
	readonly choice: ConflictChoice | null;
	/** The files in which the user has resolved them, where these are not in the conflict folder here. */
	readonly resolved?: string;
}

/** The files of a finished child. */
export interface ChildResult {
	readonly name: string;
	readonly tree: string;
	/** The files that its folder started with, if they differ from the group's. */
	readonly base: string | null;
}

/** Summary of a state that needed no child. */
export const NOTHING_TO_DO = "There was nothing to do.";

/** Whether the child needs nothing more. */
export function isSettled({ status, dropping }: ChildRun): boolean {
	return status !== "pending" && status !== "parked" && !dropping;
}

/** Whether something happens to the child without the user. */
export function isAtWork({ status, dropping }: ChildRun): boolean {
	return status === "pending" || dropping === true;
}

/** Outcome of a group. */
export type GroupOutcome =
	| { readonly kind: "working" }
	/** Nothing happens until the user acts. */
	| { readonly kind: "waiting"; readonly detail: string; readonly status: "paused" | "awaiting_approval" | "asks" }
	/** Files of a child conflict with those joined before, and nothing else can happen. */
	| { readonly kind: "conflict" }
	/** Enough children have finished; the others are not needed. */
	| { readonly kind: "joined" }
	| { readonly kind: "failed"; readonly detail: string };

/** Compares a group with the required number of finished children. */
export function judgeGroup(
	{ children }: ChildGroup,
	{ join, onFailed }: { readonly join: "all" | "any" | number; readonly onFailed: "wait" | "continue" | "fail" },
): GroupOutcome {
	const merging = finalMergers(children).at(-1);
	const work = children.filter(({ merges }) => merges === undefined);
	if (merging) return judgeMerge(merging);
	const done = work.filter(({ status }) => status === "done").length;
	const lost = work.filter(({ status }) => status === "failed" || status === "aborted");
	const open = work.filter((child) => !isSettled(child));
	const hopeful = open.filter(({ dropping }) => !dropping).length;
	const [first] = lost;
	const needed = join === "any" ? 1 : join;
	if (needed !== "all" && done >= needed) return { kind: "joined" };
	if (first && onFailed === "fail" && (needed === "all" || done + hopeful < needed))
		return { kind: "failed", detail: describeLost(lost) };
	if (open.some(isAtWork)) return { kind: "working" };
	if (open.length > 0) return waiting(open);
	return judgeRest({ done, needed, onFailed, lost: first ? describeLost(lost) : "" });
}

/** The outcome once nothing happens to a child any more. `lost`: which have failed; empty: none. */
export function judgeRest({
	done,
	needed,
	onFailed,
	lost,
}: {
	readonly done: number;
	readonly needed: "all" | number;
	readonly onFailed: "wait" | "continue" | "fail";
	readonly lost: string;
}): GroupOutcome {
	if (lost !== "" && onFailed === "wait") return { kind: "waiting", detail: lost, status: "paused" };
	if (needed === "all" ? done > 0 : done >= needed) return { kind: "joined" };
	return {
		kind: "waiting",
		detail:
			done === 0 ? "No child is done, so there is nothing to join." : `Only ${done} of ${needed} children are done.`,
		status: "paused",
	};
}

/** The workers that have resolved conflicts between the files of all children and the run's. */
export function finalMergers(children: readonly ChildRun[]): readonly ChildRun[] {
	return children.filter(({ merges, joins }) => merges !== undefined && joins === undefined);
}

export function judgeMerge(child: ChildRun): GroupOutcome {
	if (isAtWork(child)) return { kind: "working" };
	if (child.status === "parked") return waiting([child]);
	return { kind: "joined" };
}

export function waiting(parked: readonly ChildRun[]): GroupOutcome {
	const [first] = parked;
	const asked = (["asks", "awaiting_approval"] as const).find((wait) => parked.some(({ waits }) => waits === wait));
	const more =
		parked.length > 1 ? ` ${parked.length - 1} more ${parked.length === 2 ? "child waits" : "children wait"}.` : "";
	return { kind: "waiting", detail: `"${first?.name}" waits: ${first?.detail}${more}`, status: asked ?? "paused" };
}

export function describeLost(lost: readonly ChildRun[]): string {
	const named = lost.slice(0, 3).map(({ name, status, detail }) => `"${name}" ${status}${detail ? `: ${detail}` : ""}`);
	const more = lost.length > 3 ? `; ${lost.length - 3} more` : "";
	return `${named.join("; ")}${more}`.slice(0, 500);
}
