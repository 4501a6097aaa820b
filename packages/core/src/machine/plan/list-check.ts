// Checks a list that a worker hands over for children, before the worker's state ends: what it can still correct. Pure.
// A list of `pendingTasks`, `findings` or a key is checked when the next state needs it; data is checked whichever state needs it later.
import { counted } from "../../definition/index.ts";
import { referenceOf, splitReference, valueAt } from "../../output/index.ts";
import { addOutput, type SnapshotData } from "../../snapshot/index.ts";
import { type ChildrenPlan, HUMAN_INTERVENTION, type Template } from "../../template/index.ts";
import type { Run } from "../run/run.ts";
import { awaitedLists } from "./awaited-list.ts";
import { readItems } from "./child-items.ts";
import { problemsOfItems, problemsOfList } from "./child-plan.ts";
import { judgeMove } from "./moves.ts";
import { childrenPlanOf, planOf } from "./plan.ts";

/** Why the children of a later state could not start after a move to `target` with `data`, one sentence each; empty: nothing is known against it. */
export function explainLists(run: Run, target: string, data: unknown): readonly string[] {
	const { kind } = judgeMove(run, target);
	if (target === HUMAN_INTERVENTION || kind === "illegal" || kind === "repeat") return [];
	const { visit, state } = run;
	const handed: Run = data === undefined ? run : { ...run, snapshot: addOutput(run.snapshot, { visit, state, data }) };
	const now = listsAt(handed, target).flatMap((name) => problemsAt(handed, name));
	if (now.length > 0 || data === undefined) return now;
	return [...listsOf(run, state).values()].flatMap((plan) => problemsOfData(plan, state, data));
}

/** The states with a list of children that a move to `target` leads to before the next worker: itself, or after states without a worker. */
function listsAt(run: Run, target: string): readonly string[] {
	const { persona, children } = planOf(run, target);
	if (persona) return [];
	if (children) return children.forEach === undefined ? [] : [target];
	return awaitedLists(run, target).flatMap(({ state, source }) => (source.kind === "saved" ? [state] : []));
}

function problemsAt(run: Run, state: string): readonly string[] {
	const plan = childrenPlanOf({ ...run, state });
	return plan ? problemsOfList(run, plan) : [];
}

/**
 * Describes the lists in `data` that a worker has just saved for the children of later states: how many agents will start, or why none can. `run`:
 * with `data`. Empty: there is no such list.
 */
export function explainSavedLists(run: Run, { findings = [], pendingTasks = [] }: SnapshotData): string {
	const sentences = awaitedLists(run).flatMap(({ state, source }) => {
		const isSaved =
			(source.kind === "saved" && findings.some(({ key }) => key?.toLowerCase() === source.name.toLowerCase())) ||
			(source.kind === "findings" && findings.length > 0) ||
			(source.kind === "pendingTasks" && pendingTasks.length > 0);
		const plan = isSaved ? childrenPlanOf({ ...run, state }) : undefined;
		if (!plan) return [];
		const problems = problemsOfList(run, plan);
		const read = readItems(run, plan);
		if (problems.length > 0 || "problem" in read) return [`"${state}" cannot start with that: ${problems.join(" ")}`];
		return [`"${state}" will start ${counted(read.items.length, "agent")} with it.`];
	});
	return [...new Set(sentences)].join(" ");
}

/** The problems of the list in the data of `state` that `plan` names. */
function problemsOfData(plan: ChildrenPlan, state: string, data: unknown): readonly string[] {
	const path = splitReference(referenceOf(plan.forEach ?? "") ?? "", [state])?.path ?? [];
	const list = valueAt(data, path);
	return Array.isArray(list)
		? problemsOfItems(
				plan,
				list.map((value: unknown) => ({ value })),
			)
		: [];
}

/** The plans of the run, and of runs below it, that start children for a list in the data of `state`, by the name of the list. */
function listsOf({ plan, childPlans }: Run, state: string): ReadonlyMap<string, ChildrenPlan> {
	const found = new Map<string, ChildrenPlan>();
	const isOwn = (source: string, states: Template["states"]): boolean =>
		splitReference(referenceOf(source) ?? "", states.keys())?.state === state;
	const search = (template: Template, isBelow: boolean): void => {
		// A state of that name in the template of a child is another one.
		if (isBelow && template.states.has(state)) return;
		for (const { children } of template.states.values()) {
			if (children?.forEach !== undefined && isOwn(children.forEach, plan.states))
				found.set(children.forEach, children);
			for (const inner of inlineOf(children)) search(inner, true);
		}
	};
	search(plan, false);
	for (const template of childPlans.values()) search(template, true);
	return found;
}

function inlineOf(children: ChildrenPlan | undefined): readonly Template[] {
	return (children?.branches ?? []).flatMap(({ template }) => (template.kind === "inline" ? [template.template] : []));
}
