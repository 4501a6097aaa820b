// What follows from the state of a run's children: wait, stop some, join their files, leave the state.
// The run leaves the state only when no child is supervised any more; files change only after `joined` is recorded.

import { addOutput, addSummary, cutText } from "../../snapshot/index.ts";
import { advance, decideOn, moveTo, park } from "../advance.ts";
import { raiseQuestion } from "../approval.ts";
import { notice } from "../budget/budget.ts";
import { leaveState } from "../leave-state.ts";
import { idOfNextChild } from "../plan/child-plan.ts";
import { judgeMove } from "../plan/moves.ts";
import { childrenPlanOf, planOf } from "../plan/plan.ts";
import {
	type AfterChildren,
	type ChildGroup,
	type ChildResult,
	finalMergers,
	isSettled,
	judgeGroup,
	NOTHING_TO_DO,
} from "../run/child-group.ts";
import { ALL_CHILDREN } from "../run/child-run.ts";
import type { AfterStop, Run } from "../run/run.ts";
import { NO_WORKER, shutdownOf } from "../stopping.ts";
import { childrenData } from "./child-data.ts";
import { advanceGraph, type ConflictingChild, dueConflict, isGraph, mergersOf, openConflicts } from "./child-graph.ts";
import { judgeGraph } from "./judge-graph.ts";
import { mergeTask } from "./merge-task.ts";
import { endTake, leaveTake } from "./take.ts";
import { endJoinOfCopy } from "./take-copy.ts";

/** Merges that a worker may resolve before the user is asked. */
const maxMerges = 2;
const summaryBytes = 1400;

// ── stopping ──

/** Stops the children that are not settled, and continues with `after`. */
export function stopChildren(run: Run, how: "pause" | "abort", after: AfterChildren): Run {
	const { children } = run;
	return children ? settle(withGroup(run, { ...children, stopping: { how, after } })) : run;
}

/** Whether children still have to be stopped. */
function isStopping({ stopping, children }: ChildGroup): boolean {
	if (!stopping) return false;
	return children.some((child) => (stopping.how === "abort" ? !isSettled(child) : child.status === "pending"));
}

function afterStopping(run: Run, after: AfterChildren): Run {
	const leave = (then: AfterStop): Run => {
		const left = leaveTake(run);
		return { ...left, stage: shutdownOf(left, "now", then, NO_WORKER, null) };
	};
	switch (after.kind) {
		case "park":
			return advance(withGroup(run, run.children && { ...run.children, stopping: null }), "resumed");
		case "join":
			return startJoin(withGroup(run, run.children && { ...run.children, stopping: null }));
		case "finish":
			if (run.children?.ofCopy)
				return endJoinOfCopy(run, run.children, run.children.join?.isApplied ? "joined" : "given up");
			return leave({ kind: "finish", status: after.status, detail: after.detail });
		case "rewind":
			return leave({ kind: "rewind", rewind: after.rewind });
		case "move": {
			const left: Run = { ...leaveTake(run), status: "running", hold: null };
			return moveTo(left, after.to, "person", shutdownOf(left, "now", { kind: "enter" }, NO_WORKER, null));
		}
	}
}

// ── what follows ──

/** Decides what follows from the state of the children. */
export function settle(run: Run): Run {
	const { children } = run;
	if (!children) return run;
	if (isStopping(children)) return withStage(run);
	if (children.stopping) return afterStopping(run, children.stopping.after);
	if (children.phase === "joining") return continueJoin(run, children);
	return isGraph(children) ? settleGraph(advanceGraph(run)) : settleOutcome(run, children);
}

/** A conflict is given to a worker at once; the user is asked when nothing else can happen. */
function settleGraph(run: Run): Run {
	const { children } = run;
	if (!children || !isGraph(children)) return run;
	const given = openConflicts(children).find((child) => mergersOf(children, child).length < maxMerges);
	if (given && !run.hold && childrenPlanOf(run)?.onConflict === "worker") return planMerge(run, children, given);
	return settleOutcome(run, children);
}

function settleOutcome(run: Run, children: ChildGroup): Run {
	const policy = childrenPlanOf(run) ?? { join: "all", onFailed: "wait" };
	const outcome = isGraph(children) ? judgeGraph(children, policy) : judgeGroup(children, policy);
	switch (outcome.kind) {
		case "working":
			return withStage(run);
		case "waiting":
			return park(run, { status: outcome.status, cause: "children", detail: outcome.detail });
		case "conflict":
			return onConflicts(run, children);
		case "failed":
			return stopChildren(run, "abort", { kind: "finish", status: "failed", detail: outcome.detail });
		case "joined":
			return children.children.every(isSettled) ? startJoin(run) : stopChildren(run, "abort", { kind: "join" });
	}
}

function startJoin(run: Run): Run {
	const { children } = run;
	if (!children) return run;
	const merger = finalMergers(children.children).at(-1);
	const { join } = children;
	// Its result is merged like any other: it may have left conflicts.
	if (join && merger?.status === "done" && merger.tree !== null)
		return withStage(withGroup(run, { ...children, phase: "joining", join: { ...join, choice: "worker" } }));
	if (join) return continueJoin(run, { ...children, phase: "joining" });
	if (children.files === "shared" || resultsOf(children).length === 0 || childrenPlanOf(run)?.take === "one")
		return leaveChildren(run);
	return withStage(withGroup(run, { ...children, phase: "joining" }));
}

/** What is merged with the run's files: the files of each child in their order, or those of all that have been joined already. */
export function resultsOf(group: ChildGroup): readonly ChildResult[] {
	const { children, joined } = group;
	if (isGraph(group))
		return joined && children.some(({ tree }) => tree !== null)
			? [{ name: ALL_CHILDREN, tree: joined, base: null }]
			: [];
	return children.flatMap(({ status, tree, base, name, merges }) =>
		status === "done" && tree !== null && merges === undefined ? [{ name, tree, base }] : [],
	);
}

function continueJoin(run: Run, group: ChildGroup): Run {
	const joining = withGroup(run, group);
	const { join } = group;
	if (join?.isApplied) return leaveChildren(joining);
	return join && join.conflicts.length > 0 && join.choice === null ? onConflicts(joining, group) : withStage(joining);
}

export function onConflicts(run: Run, group: ChildGroup): Run {
	const policy = childrenPlanOf(run)?.onConflict ?? "person";
	const due = dueConflict(group);
	if (!due) return run;
	const { join, child } = due;
	const mergers = child ? mergersOf(group, child) : finalMergers(group.children);
	if (policy === "worker" && mergers.length < maxMerges) return planMerge(run, group, child);
	const paths = join.conflicts.map(({ path }) => path);
	if (policy === "fail")
		return stopChildren(run, "abort", {
			kind: "finish",
			status: "failed",
			detail: `The changes of the children conflict in ${[...new Set(paths)].slice(0, 5).join(", ")}.`,
		});
	return raiseQuestion(run, {
		visit: run.visit,
		side: "conflict",
		target: group.taking?.to ?? (group.ofCopy ? undefined : planOf(run).next[0]) ?? run.state,
		summary: "",
		diff: join.tree,
		conflicts: join.conflicts,
	});
}

/** Plans a child that resolves the conflicts in a folder of its own: those of `child`, or of all. A run on hold waits first. */
export function planMerge(run: Run, group: ChildGroup, child?: ConflictingChild): Run {
	const { children, files, base } = group;
	const join = child?.conflict ?? group.join;
	if (!join) return run;
	if (run.hold) return park(run, run.hold);
	const index = children.length + 1;
	const merger = {
		index,
		id: idOfNextChild(run, 1),
		name: `merge ${index}`,
		template: "merge",
		hash: "",
		task: mergeTask(run, group, join),
		branch: -1,
		merges: join.tree,
		...(child ? { joins: child.index } : {}),
	};
	return decideOn(run, { kind: "children_planned", visit: run.visit, base, files, children: [merger] });
}

/** The children of the visit have finished: summarizes their results and leaves the state. */
export function leaveChildren(run: Run): Run {
	const group = run.children;
	if (group?.ofCopy) return endJoinOfCopy(run, group, "joined");
	if (group?.taking) return endTake(run, group);
	const summary = group ? summarize(group) : "";
	const [target = "done"] = planOf(run).next;
	const where = { visit: run.visit, state: run.state };
	const data = group && childrenData(group, childrenPlanOf(run));
	const summarized = addSummary(run.snapshot, summary, where);
	const left: Run = {
		...run,
		children: null,
		candidates: group && childrenPlanOf(run)?.take === "one" ? { group, judge: target, winner: null } : null,
		snapshot: data === undefined ? summarized : addOutput(summarized, { ...where, data }),
		visitRecord: { ...run.visitRecord, summary },
	};
	const judged = judgeMove(left, target);
	if (judged.kind === "illegal") return notice(left, judged.message);
	return leaveState(left, { judged, target, summary, cause: "children" }, (after) =>
		shutdownOf(left, "boundary", after, NO_WORKER, null),
	);
}

/** One line per child, shortened so that all have room. */
function summarize({ children }: ChildGroup): string {
	const work = children.filter(({ merges }) => merges === undefined);
	if (work.length === 0) return NOTHING_TO_DO;
	const done = work.filter(({ status }) => status === "done").length;
	const room = Math.max(40, Math.floor(summaryBytes / work.length) - 40);
	const lines = work.map(({ name, status, summary, detail }) => {
		const text = status === "done" ? summary : `${status}${detail ? `: ${detail}` : ""}`;
		return `- ${name}: ${cutText(text.replace(/\s+/g, " ") || "done", room).text}`;
	});
	return cutText([`${done} of ${work.length} children done.`, ...lines].join("\n"), summaryBytes + 400).text;
}

export function withGroup(run: Run, children: ChildGroup | null): Run {
	return { ...run, children };
}

export function withStage(run: Run): Run {
	return run.stage.kind === "children"
		? { ...run, status: "running" }
		: { ...run, status: "running", stage: { kind: "children", since: run.seq } };
}
