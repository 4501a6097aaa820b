// The outcome of children that need each other. Pure.
// The run waits for the user only when nothing else can happen; no child waits for one that will never be joined without the user knowing.

import {
	type ChildRun,
	describeLost,
	finalMergers,
	type GroupOutcome,
	isAtWork,
	judgeMerge,
	judgeRest,
	waiting,
} from "../run/child-group.ts";
import { blockedBy, type ChildGraph, hasBegun, nextToJoin, openConflicts, workOf } from "./child-graph.ts";

interface JoinPolicy {
	readonly join: "all" | "any" | number;
	readonly onFailed: "wait" | "continue" | "fail";
}

/** Compares a graph that has been brought forward with the required number of joined children. */
export function judgeGraph(graph: ChildGraph, { join, onFailed }: JoinPolicy): GroupOutcome {
	const { children } = graph;
	const merging = finalMergers(children).at(-1);
	if (merging) return judgeMerge(merging);
	const work = workOf(graph);
	const needed = join === "any" ? 1 : join;
	const joined = work.filter((child) => child.joined).length;
	if (needed !== "all" && joined >= needed) return { kind: "joined" };
	const lost = work.filter(({ status }) => status === "failed" || status === "aborted");
	const blocked = blockedBy(graph, lost);
	const possible = work.filter(({ status }) => status !== "dropped").length - lost.length - blocked.length;
	if (lost.length > 0 && onFailed === "fail" && (needed === "all" || possible < needed))
		return { kind: "failed", detail: describeLost(lost) };
	if (nextToJoin(graph) || children.some((child) => isAtWork(child) && hasBegun(graph, child)))
		return { kind: "working" };
	if (openConflicts(graph).length > 0) return { kind: "conflict" };
	const parked = children.filter(({ status }) => status === "parked");
	if (parked.length > 0) return waiting(parked);
	return judgeRest({ done: joined, needed, onFailed, lost: lost.length > 0 ? explainLost(lost, blocked) : "" });
}

function explainLost(lost: readonly ChildRun[], blocked: readonly ChildRun[]): string {
	const named = blocked.slice(0, 3).map(({ name }) => `"${name}"`);
	const more = blocked.length > 3 ? ` and ${blocked.length - 3} more` : "";
	const wait = `${named.join(", ")}${more} ${blocked.length === 1 ? "waits" : "wait"} for ${lost.length === 1 ? "it" : "them"}`;
	return blocked.length === 0 ? describeLost(lost) : `${describeLost(lost)}; ${wait}.`;
}
