// A state that is done by child runs: applies what is reported about the children and about the join of their files.
// A child exists only after `children_planned`; files change only after `joined` is recorded; the run leaves the state only when no
// child is supervised any more; reports about the children of another visit change nothing.

import { addSummary, cutText, measuredTotals, nameFiles, updateSnapshot } from "../../snapshot/index.ts";
import { advance, park } from "../advance.ts";
import { explainReached, notice, reached, warnOfCeilings } from "../budget/budget.ts";
import { addToTotals } from "../budget/totals.ts";
import { addDecision } from "../decision-record.ts";
import { childrenPlanOf } from "../plan/plan.ts";
import type {
	ChildEnded,
	ChildParked,
	ChildrenPlanned,
	ChildSpent,
	JoinApplied,
	Joined,
	JoinFailed,
} from "../run/child-event.ts";
import { type ChildGroup, type ChildRun, finalMergers, isSettled } from "../run/child-group.ts";
import { type ChildSpend, type ConflictChoice, NO_CHILD_SPEND } from "../run/child-run.ts";
import type { LedgerEvent } from "../run/event.ts";
import { type Reduced, refuse } from "../run/refusal.ts";
import type { Run } from "../run/run.ts";
import type { RunDecision } from "../run/run-decision.ts";
import { spendBeyond } from "../run/spend.ts";
import type { ChildDropped, ChildSignaled } from "../run/user-event.ts";
import { hasRoomFor } from "./child-data.ts";
import { dueConflict, hasBegun, workingGraph } from "./child-graph.ts";
import { resolveInherited } from "./inherit.ts";
import { describeKept, keepFolders } from "./kept-child-folders.ts";
import {
	leaveChildren,
	onConflicts,
	planMerge,
	settle,
	stopChildren,
	withGroup,
	withStage,
} from "./settle-children.ts";

const summaryBytes = 1400;

const staleChild = () => refuse("stale", "This concerns a child of an earlier visit.");

// ── planned ──

export function onChildrenPlanned(run: Run, event: LedgerEvent & ChildrenPlanned): Run {
	const added = event.children.map(
		(child): ChildRun => ({
			...child,
			status: "pending",
			waits: null,
			detail: "",
			counted: NO_CHILD_SPEND,
			tree: null,
			base: null,
			summary: "",
			knows: run.snapshot.nextId,
			starts: 1,
			signaled: false,
		}),
	);
	const group: ChildGroup = run.children ?? {
		visit: event.visit,
		state: run.state,
		base: event.base,
		files: event.files,
		children: [],
		stopping: null,
		phase: "working",
		join: null,
	};
	const needy = added.some(({ needs }) => needs !== undefined);
	const graph = needy ? { joined: event.files === "own" ? event.base : null } : {};
	const children = [...group.children, ...added];
	const planned = withGroup(run, { ...group, ...graph, phase: "working", children });
	const { told = [] } = event;
	const outbox = run.outbox.filter(({ id }) => !told.includes(id));
	const counted = { ...planned, outbox, childCount: run.childCount + added.length };
	if (added.length > 0) return settle(counted);
	return leaveChildren(notice(counted, `There was nothing to do for the children of "${run.state}".`));
}

// ── reports ──

export function onChildSpent(run: Run, event: LedgerEvent & ChildSpent): Reduced {
	const child = childOf(run, event);
	if (!child) return staleChild();
	const { state = child.state, activity } = event;
	const located = {
		...withoutActivity(child),
		...(state === undefined ? {} : { state }),
		...(activity ? { activity } : {}),
	};
	const counted = countSpend(run, located, event);
	const warned = warnOfCeilings(counted, event.at);
	const measure = reached(warned, event.at);
	if (!measure || run.stage.kind !== "children" || run.children?.stopping || run.children?.phase === "joining")
		return warned;
	const detail = explainReached(measure);
	return stopChildren({ ...warned, hold: { status: "budget_exceeded", cause: "budget", detail } }, "pause", {
		kind: "park",
	});
}

export function onChildParked(run: Run, event: LedgerEvent & ChildParked): Reduced {
	const child = childOf(run, event);
	if (child?.dropping) return settleReport(dropUnread(run, child, event.detail));
	if (child?.status !== "pending") return staleChild();
	const again = child.signaled && !run.children?.stopping;
	const { resume: _resumed, ...rest } = withoutActivity(child);
	const parked: ChildRun = again
		? { ...rest, signaled: false, starts: child.starts + 1 }
		: {
				...rest,
				status: "parked",
				waits: event.status,
				detail: event.detail.slice(0, 300),
				...(event.below ? { below: event.below } : {}),
			};
	return settleReport(withChild(run, parked));
}

export function onChildEnded(run: Run, event: LedgerEvent & ChildEnded): Reduced {
	const child = childOf(run, event);
	if (!child || isSettled(child)) return staleChild();
	const { status, detail, tree, base, total, handover, changes, more, changed, ignored } = event;
	const keeps = handover.output !== undefined && run.children !== null && hasRoomFor(run.children, handover.output);
	const summary = withIgnored(handover.summary, ignored);
	const { dropping, ...left } = withoutActivity(child);
	const ended: ChildRun = {
		...left,
		status: dropping ? child.status : status,
		waits: null,
		// Why it waited says more than that it was dropped.
		detail: dropping ? child.detail : detail.slice(0, 300),
		tree: status === "done" && !dropping ? tree : null,
		base: base ?? null,
		summary: cutText(summary, summaryBytes).text,
		ended: event.seq,
		...(changes ? { changed: measuredTotals({ changes, more, total: changed }) } : {}),
		...(keeps ? { output: handover.output } : {}),
	};
	const counted = withChild(countSpend(run, child, total), { ...ended, counted: total });
	const known = takeHandover(counted, ended, { ...event, handover: { ...handover, summary } });
	const updated = ended.status === "done" ? known : notice(known, describeEnd(ended));
	const told = ignored === undefined ? updated : notice(updated, `Of the child "${child.name}": ${ignored}`);
	return settleReport(handover.output === undefined || keeps ? told : notice(told, explainNoRoom(ended)));
}

/** The summary of a child for the next state, with the ignored files that are not handed over. */
function withIgnored(summary: string, ignored: string | undefined): string {
	return ignored === undefined ? summary : `(${cutText(ignored, summaryBytes / 2).text}) ${summary}`.trim();
}

/** The run with what the child leaves to it: its summary, findings and tasks, and what the user decided in it. */
function takeHandover(run: Run, child: ChildRun, event: LedgerEvent & ChildEnded): Run {
	const { status } = child;
	const { handover } = event;
	const detail = status === "dropped" ? child.detail : event.detail;
	const where = { visit: run.visit, state: run.state };
	const resolve = status === "done" && child.entry !== undefined ? [child.entry] : [];
	const done = [...(handover.data.resolve ?? []), ...resolve];
	const data = { ...handover.data, resolve: done, resolved: done };
	const parts = status === "done" ? [] : [`${status}.`, detail];
	const text = [...parts, handover.summary].filter((part) => part !== "").join(" ");
	const summarized = text === "" ? run.snapshot : addSummary(run.snapshot, text, { ...where, child: child.name });
	const known = { ...resolveInherited(run, data), snapshot: updateSnapshot(summarized, data, where) };
	// A child that is reopened after its end hands over all of its decisions once more.
	const has = ({ did, about, words }: RunDecision) =>
		run.decisions.some((one) => {
			const isHere = one.visit === run.visit && one.child === child.name;
			return isHere && one.did === did && one.about === about && one.words === words;
		});
	return (handover.decisions ?? [])
		.filter((decision) => !has(decision))
		.reduce(
			(heard, { did, about, words }) => addDecision(heard, event, { did, about, words, child: child.name }),
			known,
		);
}

/** Decides what follows from a report. A run that waits for something other than its children keeps waiting. */
function settleReport(run: Run): Run {
	const { stage, hold } = run;
	if (stage.kind === "children") return settle(run);
	return stage.kind === "waiting" && hold?.cause === "children" ? settle({ ...run, hold: null }) : run;
}

/** The child without what it did at its last report. */
function withoutActivity({ activity: _, below: _below, ...child }: ChildRun): ChildRun {
	return child;
}

function describeEnd({ name, status, detail }: ChildRun): string {
	return `The child "${name}" ${status === "failed" ? "failed" : `was ${status}`}${detail ? `: ${detail}` : "."}`;
}

function explainNoRoom({ name }: ChildRun): string {
	return `The data of the child "${name}" is left out: all children of a state can hand over at most 192 KB.`;
}

/** Adds what the child used beyond what is counted. */
function countSpend(run: Run, child: ChildRun, total: ChildSpend): Run {
	const { counted } = child;
	const figures = {
		spend: spendBeyond(total.spend, counted.spend),
		activeMs: Math.max(0, total.activeMs - counted.activeMs),
		attempts: Math.max(0, total.attempts - counted.attempts),
		toolCalls: Math.max(0, total.toolCalls - counted.toolCalls),
		refused: Math.max(0, (total.refused ?? 0) - (counted.refused ?? 0)),
	};
	const { spend, activeMs, attempts, toolCalls, refused } = total;
	return withChild(addToTotals(run, run.state, run.visit, figures), {
		...child,
		counted: { spend, activeMs, attempts, toolCalls, ...(refused === undefined ? {} : { refused }) },
	});
}

// ── the user ──

export function onChildSignaled(run: Run, event: LedgerEvent & ChildSignaled): Reduced {
	const child = run.children?.children.find(({ id }) => id === event.child);
	if (!child) return refuse("unexpected", "The run currently has no such child.");
	if (child.status === "done" || child.status === "dropped")
		return refuse("over", `The child "${child.name}" is ${child.status}.`);
	if (child.status === "pending") return withChild(run, { ...child, signaled: true });
	if (isSettled(child) && run.children && hasBegunJoin(run.children))
		return refuse("over", `The files of the children are being joined, so "${child.name}" cannot start again.`);
	const again = withChild(run, pendingAgain(child));
	if (run.stage.kind === "children") return settle(again);
	if (run.stage.kind !== "waiting") return refuse("unexpected", "The run cannot continue its children now.");
	return continueChildren({ ...again, hold: null });
}

/** Whether the run still counts on its child `id`, or a command to the child would make it do so again. Otherwise nothing is to be done for the child. */
export function needsChild({ children, stage }: Run, id: string): boolean {
	const child = children?.children.find((one) => one.id === id);
	if (!children || !child || stage.kind === "over") return false;
	if (!isSettled(child)) return true;
	return child.status !== "done" && child.status !== "dropped" && !hasBegunJoin(children);
}

function hasBegunJoin({ phase, children }: ChildGroup): boolean {
	return phase === "joining" || finalMergers(children).length > 0;
}

function pendingAgain(child: ChildRun): ChildRun {
	return {
		...withoutActivity(child),
		status: "pending",
		waits: null,
		detail: "",
		starts: child.starts + 1,
		signaled: false,
	};
}

export function onChildDropped(run: Run, event: LedgerEvent & ChildDropped): Reduced {
	const child = run.children?.children.find(({ id }) => id === event.child);
	if (!child) return refuse("unexpected", "The run currently has no such child.");
	if (child.status === "pending" && hasBegun(run.children as ChildGroup, child))
		return refuse("unexpected", `The child "${child.name}" is still running: abort it first, then drop it.`);
	if (child.status === "done" || child.status === "dropped")
		return refuse("over", `The child "${child.name}" is ${child.status}.`);
	const due = child.status === "parked" && event.ends ? { dropping: true as const } : {};
	const dropped = withChild(run, { ...child, status: "dropped", waits: null, ...due });
	if (run.stage.kind === "children") return settle(dropped);
	// A run that waits for something else than its children, such as the user's resume, keeps waiting.
	const isDue = run.stage.kind === "waiting" && run.hold?.cause === "children";
	return isDue ? continueChildren({ ...dropped, hold: null }) : dropped;
}

/** The run without the dropped child, whose run could not be ended because of `why`. */
function dropUnread(run: Run, child: ChildRun, why: string): Run {
	const { dropping: _, ...dropped } = child;
	const text = `The child "${child.name}" was dropped, and what it knows is only in its own run: ${why}`;
	return notice(withChild(run, dropped), text);
}

/**
 * The run, whose parked children are pending again. Those that are paused or at a limit are resumed; the others ask once more. The run is unchanged
 * if its children are being stopped for something other than a pause.
 */
export function reviveChildren(run: Run): Run {
	const { children } = run;
	if (!children || (children.stopping && children.stopping.after.kind !== "park")) return run;
	const again = children.children.map((child): ChildRun => {
		if (child.status !== "parked") return child;
		const resumes = child.waits === "paused" || child.waits === "budget_exceeded";
		return resumes ? { ...pendingAgain(child), resume: true } : pendingAgain(child);
	});
	return withGroup(run, { ...children, children: again, stopping: null });
}

/** Continues with the children after a wait, unless something holds the run. */
export function continueChildren(run: Run): Run {
	const next = advance(run, "resumed");
	return next.stage.kind === "children" ? settle(next) : next;
}

/** The user's answer to the question about conflicts. `resolved`: the tree with the files that the user has resolved elsewhere. */
export function chooseResolution(run: Run, choice: ConflictChoice, resolved?: string): Run {
	const { children } = run;
	const due = children && dueConflict(children);
	if (!due) return run;
	const { child } = due;
	if (choice === "worker") return planMerge(run, children, child);
	const join = { ...due.join, choice, ...(resolved === undefined ? {} : { resolved }) };
	const chosen = child ? withChild(run, { ...child, conflict: join }) : withGroup(run, { ...children, join });
	return withStage(chosen);
}

// ── the join ──

export function onJoined(run: Run, event: LedgerEvent & Joined): Reduced {
	if (event.child !== undefined) return onChildJoined(run, { ...event, child: event.child });
	const children = joiningGroup(run, event.visit);
	if (!children) return staleChild();
	const { before, tree, conflicts } = event;
	const join = { before, tree, conflicts, round: (children.join?.round ?? 0) + 1, choice: null };
	return settle(withGroup(run, { ...children, join }));
}

/** The files of one child are merged with those joined before, for the children that need it. */
function onChildJoined(run: Run, event: LedgerEvent & Joined & { readonly child: string }): Reduced {
	const child = childOf(run, event);
	const { children, stage } = run;
	if (!child || !children || children.joined === undefined || stage.kind !== "children") return staleChild();
	if (child.status !== "done" || child.joined) return staleChild();
	const { before, tree, conflicts } = event;
	const { conflict, ...rest } = child;
	if (conflicts.length === 0) {
		const joined = withChild(withGroup(run, { ...children, joined: tree }), { ...rest, joined: true });
		return settle(joined);
	}
	const open = { before, tree, conflicts, round: (conflict?.round ?? 0) + 1, choice: null };
	const noted = withChild(run, { ...child, conflict: open });
	const fails = childrenPlanOf(run)?.onConflict === "fail" && !children.stopping && noted.children;
	return fails ? onConflicts(noted, fails) : settle(noted);
}

export function onJoinApplied(run: Run, event: LedgerEvent & JoinApplied): Reduced {
	if (!joiningGroup(run, event.visit)?.join) return staleChild();
	const { left = [], leftMore = 0, kept = [] } = event;
	const text = `Not written at the join: ${nameFiles(left, left.length + leftMore)}`;
	const noted = left.length > 0 ? notice(run, text) : run;
	const [first] = kept;
	if (!first || !noted.children?.join) return leaveChildren(noted);
	const group: ChildGroup = { ...noted.children, join: { ...noted.children.join, isApplied: true } };
	const known = keepFolders(withGroup(noted, group), kept, { visit: run.visit, state: run.state });
	const more = kept.length > 1 ? ` ${kept.length - 1} more ${kept.length === 2 ? "folder" : "folders"}.` : "";
	const detail = `${describeKept(first).slice(0, 400)}.${more} Take what you need from there, then resume.`;
	return park(known, { status: "paused", cause: "children", detail });
}

export function onJoinFailed(run: Run, event: LedgerEvent & JoinFailed): Reduced {
	const hold = { status: "paused", cause: "children", detail: event.detail.slice(0, 500) } as const;
	const graph = run.stage.kind === "children" && run.children?.visit === event.visit && workingGraph(run.children);
	if (graph) return stopChildren({ ...run, hold }, "pause", { kind: "park" });
	const children = joiningGroup(run, event.visit);
	if (!children) return staleChild();
	return park(withGroup(run, { ...children, join: null }), hold);
}

// ── access ──

/** The children of `visit` whose files are being joined now. */
function joiningGroup({ children, stage }: Run, visit: number): ChildGroup | undefined {
	return children?.visit === visit && children.phase === "joining" && stage.kind === "children" ? children : undefined;
}

function childOf(run: Run, { visit, child }: { readonly visit: number; readonly child: string }): ChildRun | undefined {
	return run.children?.visit === visit ? run.children.children.find(({ id }) => id === child) : undefined;
}

function withChild(run: Run, child: ChildRun): Run {
	const { children } = run;
	if (!children) return run;
	return withGroup(run, { ...children, children: children.children.map((one) => (one.id === child.id ? child : one)) });
}
