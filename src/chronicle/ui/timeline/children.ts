// The children of a run's current state, one line each. Shared by the timeline and the status. Pure.
import { shortCost, shortTime } from "../../../pi/index.ts";
import type { ChildRun, Run, VisitChild } from "../../core/index.ts";
import { marks } from "./marks.ts";

/** Maximum number of children listed individually; more are counted. */
const mostListed = 5;

export interface ChildLine {
	readonly mark: string;
	readonly text: string;
	readonly tone: "success" | "warning" | "error" | "plain";
}

/** One line per child; from 6 on, only running children and those that need the user, with counts of the others. */
export function childLines(run: Run, most = mostListed): ChildLine[] {
	const all = run.children?.children ?? [];
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
	/** Why it waits or failed, or the state that it is in; empty if neither is known. */
	readonly why: string;
}

/** The columns of a child of any visit. `working`: its visit is the current one, and its children are supervised. */
export function visitChildCells({ total, ...child }: VisitChild, working: boolean): ChildCells {
	return cellsOf({ ...child, counted: total, waits: null }, working);
}

function lineOf(child: ChildRun, run: Run): ChildLine {
	const { mark, tone, name, id, doing, time, cost, why } = cellsOf(child, run.stage.kind === "children");
	const figures = [time, cost, why].filter((text) => text !== "");
	return { mark, tone, text: [`${name} (${id})`, doing, ...figures].join(" · ") };
}

type Described = Pick<ChildRun, "id" | "name" | "status" | "waits" | "detail" | "counted" | "state">;

function cellsOf(child: Described, working: boolean): ChildCells {
	const { id, name, status, detail, counted, state } = child;
	const begun = counted.attempts > 0;
	return {
		mark: markOf(child, working),
		tone: status === "done" ? "success" : status === "parked" ? "warning" : status === "failed" ? "error" : "plain",
		name,
		id: id.slice(0, 8),
		doing: status === "pending" ? (begun ? "working" : "starting") : words[status],
		time: begun ? shortTime(counted.activeMs) : "",
		cost: begun ? shortCost(counted.spend.costUsd) : "",
		why: detail === "" && status === "pending" && state !== undefined ? `in ${state}` : detail,
	};
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
