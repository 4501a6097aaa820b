// The children of a run's current state, a line each: shared by the timeline and the status. Pure.
import { shortCost, shortTime } from "../../../pi/index.ts";
import type { ChildRun, Run, VisitChild } from "../../core/index.ts";
import { marks } from "./marks.ts";

/** Children that are listed one by one; more are counted. */
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

/** The line of a child of any visit. `working`: its visit is the current one, and its children are supervised. */
export function visitChildLine({ total, ...child }: VisitChild, working: boolean): ChildLine {
	return describeChild({ ...child, counted: total, waits: null }, working);
}

function lineOf(child: ChildRun, run: Run): ChildLine {
	return describeChild(child, run.stage.kind === "children");
}

type Described = Pick<ChildRun, "id" | "name" | "status" | "waits" | "detail" | "counted">;

function describeChild(child: Described, working: boolean): ChildLine {
	const { id, name, status, detail, counted } = child;
	const spent = counted.attempts === 0 ? [] : [shortTime(counted.activeMs), shortCost(counted.spend.costUsd)];
	const doing = status === "pending" ? (counted.attempts === 0 ? "starting" : "working") : words[status];
	const why = detail === "" ? [] : [detail];
	return {
		mark: markOf(child, working),
		text: [`${name} (${id.slice(0, 8)})`, doing, ...spent, ...why].join(" · "),
		tone: status === "done" ? "success" : status === "parked" ? "warning" : status === "failed" ? "error" : "plain",
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
