// The children of a run's current state, or the candidates, one line each. Shared by the timeline and the status. Pure.
import { shortCost, shortTime } from "../../../pi/index.ts";
import {
	type ChangeTotals,
	type ChildChoice,
	type ChildRun,
	candidatesIn,
	type Run,
	type VisitChild,
} from "../../core/index.ts";
import { marks } from "./marks.ts";

/** Maximum number of children listed individually; more are counted. */
const maxListed = 5;

export interface ChildLine {
	readonly mark: string;
	readonly text: string;
	readonly tone: "success" | "warning" | "error" | "plain";
}

/** One line per child; from 6 on, only running children and those that need the user, with counts of the others. */
export function childLines(run: Run, most = maxListed): ChildLine[] {
	const all = run.children?.children ?? candidatesIn(run, run.state);
	if (all.length <= most) return all.map((child) => lineOf(child, run));
	const shown = all.filter(({ status }) => status !== "done" && status !== "dropped").slice(0, most - 1);
	const count = (status: ChildRun["status"]): number => all.filter((child) => child.status === status).length;
	const parts = (["done", "pending", "parked", "failed", "aborted", "dropped"] as const).flatMap((status) => {
		const number = count(status);
		return number === 0 ? [] : [`${number} ${words[status]}`];
	});
	return [
		{ mark: " ", text: `${all.length} children: ${parts.join(", ")}`, tone: "plain" },
		...shown.map((child) => lineOf(child, run)),
	];
}

const words: Readonly<Record<ChildRun["status"], string>> = {
	pending: "to do",
	parked: "waiting",
	done: "done",
	failed: "failed",
	aborted: "aborted",
	dropped: "dropped",
};

/** A child of any visit as columns. */
export interface ChildCells extends Omit<ChildLine, "text"> {
	readonly name: string;
	/** The beginning of its id. */
	readonly id: string;
	readonly doing: string;
	/** Empty until it has begun. */
	readonly time: string;
	readonly cost: string;
	/** Why it waits or failed, the state that it is in, or what it has changed; empty if none is known. */
	readonly why: string;
}

/**
 * The columns of a child of any visit. `working`: its visit is the current one, and its children are supervised. `choice`: which of the
 * visit's children was taken.
 */
export function visitChildCells(
	{ total, ...child }: VisitChild,
	working: boolean,
	choice: ChildChoice | undefined,
): ChildCells {
	const cells = cellsOf({ ...child, counted: total, waits: null }, working);
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
	return files === 0 ? "no files" : `${files} ${files === 1 ? "file" : "files"} +${added} −${removed}`;
}

function lineOf(child: ChildRun, run: Run): ChildLine {
	const { mark, tone, name, id, doing, time, cost, why } = cellsOf(child, run.stage.kind === "children");
	const figures = [time, cost, why].filter((text) => text !== "");
	return { mark, tone, text: [`${name} (${id})`, doing, ...figures].join(" · ") };
}

type Described = Pick<ChildRun, "id" | "name" | "status" | "waits" | "detail" | "counted" | "state" | "changed">;

function cellsOf(child: Described, working: boolean): ChildCells {
	const { id, name, status, detail, counted } = child;
	const begun = counted.attempts > 0;
	return {
		mark: markOf(child, working),
		tone: status === "done" ? "success" : status === "parked" ? "warning" : status === "failed" ? "error" : "plain",
		name,
		id: id.slice(0, 8),
		doing: status === "pending" ? (begun ? "working" : "starting") : words[status],
		time: begun ? shortTime(counted.activeMs) : "",
		cost: begun ? shortCost(counted.spend.costUsd) : "",
		why: detail === "" ? progressOf(child) : detail,
	};
}

function progressOf({ status, state, changed }: Described): string {
	if (status === "pending") return state === undefined ? "" : `in ${state}`;
	return changed ? changedText(changed) : "";
}

function markOf({ status, waits }: Pick<ChildRun, "status" | "waits">, working: boolean): string {
	switch (status) {
		case "pending":
			return working ? marks.working : marks.todo;
		case "parked":
			return waits === "awaiting_approval" ? marks.waiting : marks.paused;
		case "done":
			return marks.done;
		case "failed":
		case "aborted":
		case "dropped":
			return marks.failed;
	}
}
