// What a child run gets from its parent, and what it changes in it. Pure.
// A child knows what its parent knew when the child was planned, and what the siblings that it builds on have found since, and nothing else; a
// child that merges knows all; ids of a child's entries are none of its parent's.
import {
	type Finding,
	joinChanges,
	outputsOf,
	type Snapshot,
	type SnapshotData,
	updateSnapshot,
} from "../../snapshot/index.ts";
import type { StatePlan } from "../../template/index.ts";
import { planOf } from "../plan/plan.ts";
import type { ChildRun } from "../run/child-group.ts";
import type { Inherited } from "../run/child-run.ts";
import type { Run } from "../run/run.ts";
import { allNeedsOf, dependantsOf } from "./child-graph.ts";

/** What `child` of `parent` begins with. */
export function inheritedBy(parent: Run, child: ChildRun): Inherited {
	const { inherited, children, template, decisions } = parent;
	const uncommitted = parent.uncommitted ?? inherited?.uncommitted;
	const state = children?.state ?? parent.state;
	const [reader] = planOf(parent, state).next;
	const all = children?.children ?? [];
	const needs = all.filter(({ index }) => child.needs?.includes(index));
	return {
		run: template.name,
		state,
		siblings: siblingsOf(all, child).map(({ name }) => name),
		...(needs.length > 0 ? { needs: needs.map(({ name }) => name) } : {}),
		...(reader !== undefined && hasAgents(planOf(parent, reader)) ? { reader } : {}),
		...(child.merges === undefined ? {} : { conflicts: conflictsOf(parent, child) }),
		task: inherited?.task ?? parent.task,
		decisions: [...(inherited?.decisions ?? []), ...decisions],
		...(uncommitted ? { uncommitted } : {}),
		snapshot: above(inherited?.snapshot, child.merges === undefined ? knownBefore(parent, child) : parent.snapshot),
	};
}

/** Whether a worker or child runs do the state. */
function hasAgents({ persona, children }: StatePlan): boolean {
	return persona !== undefined || children !== undefined;
}

/** The other children that may work at the same time, and the child itself: neither those that it builds on, nor those that build on it. */
function siblingsOf(children: readonly ChildRun[], child: ChildRun): readonly ChildRun[] {
	const work = children.filter(({ merges }) => merges === undefined);
	if (child.needs === undefined) return work;
	const below = new Set(dependantsOf(work, new Set([child.index])));
	const over = allNeedsOf(work, child);
	return work.filter((other) => !over.has(other.index) && !below.has(other) && !other.joined);
}

function conflictsOf({ children }: Run, { joins }: ChildRun): readonly string[] {
	const conflicting = children?.children.find(({ index }) => index === joins);
	const join = joins === undefined ? children?.join : conflicting?.conflict;
	return [...new Set((join?.conflicts ?? []).map(({ path }) => path))];
}

/** The snapshot of the parent without what its children have found since `child` was planned, except those that it builds on. */
function knownBefore({ snapshot, visit, children }: Run, child: ChildRun): Snapshot {
	const { knows } = child;
	if (knows === undefined) return snapshot;
	const work = children?.children ?? [];
	const over = allNeedsOf(work, child);
	const names = work.filter(({ index }) => over.has(index)).map(({ name }) => name);
	const isOfNeeded = (by: Pick<Finding, "visit" | "child">): boolean =>
		by.visit === visit && names.some((name) => by.child === name || by.child?.startsWith(`${name}/`) === true);
	const isKnown = (entry: Finding): boolean => Number(entry.id.slice(1)) < knows || isOfNeeded(entry);
	return {
		...snapshot,
		findings: snapshot.findings.filter(isKnown),
		pendingTasks: snapshot.pendingTasks.filter(isKnown),
		summaries: snapshot.summaries.filter((summary) => summary.visit !== visit || isOfNeeded(summary)),
	};
}

/** What the parents knew, then what the parent knows. */
function above(outer: Snapshot | undefined, own: Snapshot): Snapshot {
	if (!outer) return own;
	const outputs = [...outputsOf(outer), ...outputsOf(own)];
	return {
		...own,
		findings: [...outer.findings, ...own.findings],
		pendingTasks: [...outer.pendingTasks, ...own.pendingTasks],
		files: joinChanges(outer.files, own.files),
		summaries: [...outer.summaries, ...own.summaries],
		...(outputs.length > 0 ? { outputs } : {}),
	};
}

/** What the parents of a run knew and what it knows itself. */
export function knownSnapshot({ inherited, snapshot }: Run): Snapshot {
	return above(inherited?.snapshot, snapshot);
}

/** The run whose worker has saved `data`: without the inherited entries that it has resolved or replaced. */
export function resolveInherited(run: Run, data: SnapshotData): Run {
	const { inherited, visit, state } = run;
	const replaced = [...(data.findings ?? []), ...(data.pendingTasks ?? [])].flatMap(({ replaces = [] }) => replaces);
	const names = [...(data.resolved ?? data.resolve ?? []), ...replaced];
	if (!inherited || names.length === 0) return run;
	const snapshot = updateSnapshot(inherited.snapshot, { resolve: names, resolved: names }, { visit, state });
	const before = entryIds(inherited.snapshot);
	const left = new Set(entryIds(snapshot));
	const resolved = before.filter((id) => !left.has(id));
	if (resolved.length === 0) return run;
	return { ...run, inherited: { ...inherited, snapshot, resolved: [...(inherited.resolved ?? []), ...resolved] } };
}

function entryIds({ findings, pendingTasks }: Snapshot): readonly string[] {
	return [...findings, ...pendingTasks].map(({ id }) => id);
}
