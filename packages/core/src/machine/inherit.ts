// What a child run gets from its parent, and what it changes in it. Pure.
// I1 a child knows what its parent knew when the child was planned: nothing that its siblings have found since; a child that merges knows
// all; I2 ids of a child's entries are none of its parent's.
import {
	EMPTY_SNAPSHOT,
	joinChanges,
	outputsOf,
	type Snapshot,
	type SnapshotData,
	updateSnapshot,
} from "../snapshot/index.ts";
import type { StatePlan } from "../template/index.ts";
import type { ChildRun } from "./child-group.ts";
import type { Inherited } from "./child-run.ts";
import { planOf } from "./plan.ts";
import type { Run } from "./run.ts";

/** What `child` of `parent` begins with. */
export function inheritedBy(parent: Run, child: ChildRun): Inherited {
	const { inherited, children, template, decisions } = parent;
	const uncommitted = parent.uncommitted ?? inherited?.uncommitted;
	const state = children?.state ?? parent.state;
	const [reader] = planOf(parent, state).next;
	return {
		run: template.name,
		state,
		siblings: (children?.children ?? []).filter(({ merges }) => merges === undefined).map(({ name }) => name),
		...(reader !== undefined && hasAgents(planOf(parent, reader)) ? { reader } : {}),
		...(child.merges === undefined ? {} : { conflicts: conflictsOf(parent) }),
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

function conflictsOf({ children }: Run): readonly string[] {
	return [...new Set((children?.join?.conflicts ?? []).map(({ path }) => path))];
}

/** The snapshot of the parent without what its children have found since `child` was planned. */
function knownBefore({ snapshot, visit }: Run, { knows }: ChildRun): Snapshot {
	if (knows === undefined) return snapshot;
	const isKnown = ({ id }: { readonly id: string }): boolean => Number(id.slice(1)) < knows;
	return {
		...snapshot,
		findings: snapshot.findings.filter(isKnown),
		pendingTasks: snapshot.pendingTasks.filter(isKnown),
		summaries: snapshot.summaries.filter((summary) => summary.visit !== visit),
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

/** The snapshot of a run that begins with `inherited`: empty, with ids that differ from the inherited ones. */
export function emptyAfter({ snapshot }: Inherited): Snapshot {
	return { ...EMPTY_SNAPSHOT, nextId: snapshot.nextId };
}

/** The run whose worker has saved `data`: without the inherited entries that it has resolved or replaced. */
export function resolveInherited(run: Run, data: SnapshotData): Run {
	const { inherited, visit, state } = run;
	const replaced = [...(data.findings ?? []), ...(data.pendingTasks ?? [])].flatMap(({ replaces = [] }) => replaces);
	const names = [...(data.resolved ?? data.resolve ?? []), ...replaced];
	if (!inherited || names.length === 0) return run;
	const snapshot = updateSnapshot(inherited.snapshot, { resolve: names, resolved: names }, { visit, state });
	const before = entriesOf(inherited.snapshot);
	const left = new Set(entriesOf(snapshot));
	const resolved = before.filter((id) => !left.has(id));
	if (resolved.length === 0) return run;
	return { ...run, inherited: { ...inherited, snapshot, resolved: [...(inherited.resolved ?? []), ...resolved] } };
}

function entriesOf({ findings, pendingTasks }: Snapshot): readonly string[] {
	return [...findings, ...pendingTasks].map(({ id }) => id);
}
