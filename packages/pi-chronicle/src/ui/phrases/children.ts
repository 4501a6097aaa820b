// The children of a run's current state, or the candidates, one line each. Shared by the timeline and the status. Pure.

import { counted } from "@pi-chronicle/core/definition";
import type { Visit, VisitChild } from "@pi-chronicle/core/history";
import {
	activityMs,
	awaitedBy,
	type ChildChoice,
	type ChildRun,
	candidatesIn,
	criticalPath,
	isGraph,
	type Run,
} from "@pi-chronicle/core/machine";
import type { ChangeTotals } from "@pi-chronicle/core/snapshot";
import { shortCost, shortTime } from "../../pi/index.ts";
import { activityText } from "./figures.ts";
import { marks } from "./names.ts";

const maxListed = 5;

export interface ChildLine {
	readonly mark: string;
	readonly text: string;
	/** The same in parts, and in fewer columns, longest first; empty if there is nothing to leave out. Name and reason may be cut. */
	readonly forms: readonly { readonly name: string; readonly figures: string; readonly why: string }[];
	readonly tone: "success" | "warning" | "error" | "plain";
}

export interface ChildrenView {
	/** ISO 8601; the time of workers is counted up to it. */
	readonly now: string;
	readonly max?: number;
	/** Whether a process supervises the run; default: yes. */
	readonly isSupervised?: boolean;
}

/** One line per child; from 6 on, the first of those that need the user or are running, with counts of all. */
export function childLines(run: Run, { now, max = maxListed, isSupervised = true }: ChildrenView): ChildLine[] {
	const all = run.children?.children ?? candidatesIn(run, run.state);
	const isWorking = isSupervised && run.stage.kind === "children";
	const line = (child: ChildRun): ChildLine => lineOf(child, isWorking ? now : undefined, awaitedText(all, child));
	if (all.length <= max) return all.map(line);
	const shown = urgency.flatMap((kind) => all.filter((child) => childKind(child) === kind)).slice(0, max - 1);
	return [
		{ mark: " ", text: `${all.length} children: ${countsOf(all)}`, forms: [], tone: "plain" },
		...shown.map(line),
	];
}

/** `waits for model, api`: the children that must be joined before this one begins; empty if there are none. */
function awaitedText(children: readonly NeedingChild[], child: NeedingChild): string {
	const awaited = awaitedBy(children, child).map(({ name }) => name);
	return awaited.length === 0 ? "" : `waits for ${namesText(awaited)}`;
}

type NeedingChild = Pick<ChildRun, "index" | "name" | "status" | "needs" | "joined">;

/** The first names, and how many more there are. */
function namesText(names: readonly string[], most = 3): string {
	const more = names.length - most;
	return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** `needs model, api`; empty if the child needs none. */
export function needsText(children: readonly VisitChild[], { needs = [] }: VisitChild): string {
	const names = children.filter(({ index }) => needs.includes(index)).map(({ name }) => name);
	return names.length === 0 ? "" : `needs ${namesText(names)}`;
}

/** The chain of children that decides how long the run needs: `model → api → ui`; `undefined` if no child needs another. */
export function criticalPathText({ children }: Run): string | undefined {
	if (!children || !isGraph(children)) return undefined;
	const path = criticalPath(children);
	const left = path.filter(({ joined }) => !joined).length;
	return `${path.map(({ name }) => name).join(" → ")} (${left} of ${path.length} left)`;
}

/** `3 done, 2 running, 1 to do`. */
function countsOf(children: readonly ChildRun[]): string {
	return (["done", "running", "pending", "parked", "failed", "aborted", "dropped"] as const)
		.map((kind) => ({ kind, count: children.filter((child) => childKind(child) === kind).length }))
		.filter(({ count }) => count > 0)
		.map(({ kind, count }) => `${count} ${words[kind]}`)
		.join(", ");
}

type ChildKind = ChildRun["status"] | "running";

/** Which children are listed first where not all are; those that are not listed here only count. */
const urgency: readonly ChildKind[] = ["parked", "failed", "running", "aborted", "pending"];

function childKind({ status, activity, counted }: Described): ChildKind {
	return status === "pending" && (activity || counted.attempts > 0) ? "running" : status;
}

/** The children as part of one row: `1 of 3 children done · one: bash npm test · two: waiting for the model`. */
export function childrenText({ children }: Run): string {
	const all = children?.children.filter(({ merges }) => merges === undefined) ?? [];
	if (children?.stopping) return "stopping the children";
	if (children?.phase === "joining") return "joining the files of the children";
	const done = all.filter(({ status }) => status === "done").length;
	const now = (children?.children ?? []).flatMap(({ name, activity }) =>
		activity ? [`${name}: ${activityText(activity)}`] : [],
	);
	return [`${done} of ${all.length} children done`, ...now].join(" · ");
}

const words: Readonly<Record<ChildKind, string>> = {
	running: "running",
	pending: "to do",
	parked: "waiting",
	done: "done",
	failed: "failed",
	aborted: "aborted",
	dropped: "dropped",
};

export const statusWords: Readonly<Record<ChildRun["status"], string>> = { ...words, pending: "not finished" };

export interface ChildCells extends Omit<ChildLine, "text" | "forms"> {
	readonly name: string;
	readonly id: string;
	readonly doing: string;
	/** Empty until it has begun. */
	readonly time: string;
	readonly cost: string;
	/** Why it waits or failed, the state that it is in and what it does there, or what it has changed; empty if none is known. */
	readonly why: string;
	/** `why` for narrow columns. */
	readonly shortWhy: string;
}

/**
 * The columns of a child of any visit. `workingAt`: the time (ISO 8601), if its visit is the current one and its
 * children are supervised. `choice`: which of the
 * visit's children, `all`, was taken.
 */
export function visitChildCells(
	{ total, ...child }: VisitChild,
	workingAt: string | undefined,
	{ choice, all }: Pick<Visit, "choice"> & { readonly all: readonly VisitChild[] },
): ChildCells {
	const described = { ...child, counted: total, waits: null };
	const awaited = awaitedText(all, child);
	const cells = cellsOf(described, workingAt, awaited);
	const taken = takenOf(child, choice);
	return taken === undefined ? cells : { ...cells, doing: taken, tone: taken === "taken" ? "success" : "plain" };
}

/** Whether a child was taken, where one of several is; `undefined` where that is not decided, or the child could not be. */
export function takenOf(
	{ name, status }: Pick<VisitChild, "name" | "status">,
	choice: ChildChoice | undefined,
): "taken" | "not taken" | undefined {
	if (!choice || status !== "done") return undefined;
	return name === choice.winner ? "taken" : "not taken";
}

/** Which child was taken, by whose choice and why: `"two" of build is taken, by the worker's choice: it is smaller`. */
export function choiceText({ state, winner, by, insteadOf, why }: ChildChoice): string {
	if (winner === null) return `No child of ${state} was taken.`;
	const whose =
		by === "worker"
			? "by the worker's choice"
			: `by the user's choice${insteadOf === undefined ? "" : ` instead of "${insteadOf}"`}`;
	const [reason = ""] = why.trim().split("\n", 1);
	return `"${winner}" of ${state} is taken, ${whose}${reason === "" ? "." : `: ${reason}`}`;
}

/** `3 files +10 −2`. */
export function changedText({ files, added, removed }: ChangeTotals): string {
	return files === 0 ? "no files" : `${counted(files, "file")} +${added} −${removed}`;
}

function lineOf(child: ChildRun, workingAt: string | undefined, awaited: string): ChildLine {
	const { mark, tone, name, id, doing, time, cost, why, shortWhy } = cellsOf(child, workingAt, awaited);
	const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join(" · ");
	// The mark says whether it works, waits or has ended.
	const least = shortWhy === "" ? doing : shortWhy;
	// One that waits for others has no run yet that a command knows.
	const named = awaited === "" ? `${name} (${id})` : name;
	return {
		mark,
		tone,
		text: joined(named, doing, time, cost, why),
		forms: [
			{ name: named, figures: joined(doing, time, cost), why },
			{ name, figures: joined(doing, time, cost), why },
			{ name, figures: joined(doing, time, cost), why: shortWhy },
			{ name, figures: joined(time, cost), why: least },
			{ name, figures: cost, why: least },
		],
	};
}

type Described = Pick<
	VisitChild & ChildRun,
	"id" | "name" | "status" | "waits" | "detail" | "counted" | "state" | "changed"
> & { readonly activity?: ChildRun["activity"] | undefined };

/** `awaited`: for which children it waits; empty: it can begin. */
function cellsOf(child: Described, workingAt: string | undefined, awaited: string): ChildCells {
	const { id, name, status, detail, counted, activity } = child;
	const working = workingAt !== undefined && awaited === "";
	const begun = counted.attempts > 0;
	const why = awaited || detail || progressOf(child, working);
	return {
		mark: childMark(child, working),
		tone: status === "done" ? "success" : status === "parked" ? "warning" : status === "failed" ? "error" : "plain",
		name,
		id: id.slice(0, 8),
		doing: status === "pending" ? pendingWord(child, working) : words[status],
		time: begun ? shortTime(counted.activeMs + activityMs(activity, workingAt ?? "")) : "",
		cost: begun ? shortCost(counted.spend.costUsd) : "",
		why,
		shortWhy: activity && working && status === "pending" ? activityText(activity) : why,
	};
}

function pendingWord(child: Described, working: boolean): string {
	const begun = childKind(child) === "running" && (child.counted.attempts > 0 || child.activity?.stage !== "launching");
	if (!working) return begun ? "interrupted" : words.pending;
	if (child.activity?.stage === "awaiting_provider") return "waiting";
	return begun ? "working" : "starting";
}

function progressOf({ status, state, activity, changed }: Described, working: boolean): string {
	if (status !== "pending") return changed ? changedText(changed) : "";
	if (state === undefined) return "";
	return activity && working ? `in ${state}: ${activityText(activity)}` : `in ${state}`;
}

function childMark({ status, waits }: Pick<ChildRun, "status" | "waits">, working: boolean): string {
	switch (status) {
		case "pending":
			return working ? marks.working : marks.todo;
		case "parked":
			return waits === "asks" || waits === "awaiting_approval" ? marks.waiting : marks.paused;
		case "done":
			return marks.done;
		case "failed":
		case "aborted":
		case "dropped":
			return marks.failed;
	}
}
