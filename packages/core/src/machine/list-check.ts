// Checks a list that a worker hands over for children, before the worker's state ends: what it can still correct. Pure.
// A list of `pendingTasks`, `findings` or a key is checked when the next state needs it; data is checked whichever state needs it later.
import { referenceOf, splitReference, valueAt } from "../output/index.ts";
import { addOutput } from "../snapshot/index.ts";
import { type ChildrenPlan, HUMAN_INTERVENTION, type Template } from "../template/index.ts";
import { needsOfItems } from "./child-needs.ts";
import { problemsOfList } from "./child-plan.ts";
import { judgeMove } from "./moves.ts";
import { childrenPlanOf } from "./plan.ts";
import type { Run } from "./run.ts";

/** Why the children of a later state could not start after a move to `target` with `data`, one sentence each; empty: nothing is known against it. */
export function explainLists(run: Run, target: string, data: unknown): readonly string[] {
	const { kind } = judgeMove(run, target);
	if (target === HUMAN_INTERVENTION || kind === "illegal" || kind === "repeat") return [];
	const { visit, state } = run;
	const handed: Run = data === undefined ? run : { ...run, snapshot: addOutput(run.snapshot, { visit, state, data }) };
	const next = childrenPlanOf({ ...handed, state: target });
	const now = next?.forEach === undefined ? [] : problemsOfList(handed, next);
	if (now.length > 0 || data === undefined) return now;
	return [...listsOf(run, state)].flatMap((source) => problemsOfData(source, state, data));
}

/** The problems of the list `source` in the data of `state`. */
function problemsOfData(source: string, state: string, data: unknown): readonly string[] {
	const path = splitReference(referenceOf(source) ?? "", [state])?.path ?? [];
	const list = valueAt(data, path);
	if (!Array.isArray(list)) return [];
	const ordered = needsOfItems(
		list.map((value: unknown) => ({ value })),
		source,
	);
	return "problems" in ordered ? ordered.problems : [];
}

/** The lists in the data of `state` for which a state of the run, or of a run below it, starts children. */
function listsOf({ plan, childPlans }: Run, state: string): ReadonlySet<string> {
	const found = new Set<string>();
	const isOwn = (source: string, states: Template["states"]): boolean =>
		splitReference(referenceOf(source) ?? "", states.keys())?.state === state;
	const search = (template: Template, isBelow: boolean): void => {
		// A state of that name in the template of a child is another one.
		if (isBelow && template.states.has(state)) return;
		for (const { children } of template.states.values()) {
			if (children?.forEach !== undefined && isOwn(children.forEach, plan.states)) found.add(children.forEach);
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
