// The lists that a state is to leave behind because a state that follows starts a child for each entry. Pure.
import { referenceOf, splitReference } from "../../output/index.ts";
import { type ChildrenPlan, HUMAN_INTERVENTION } from "../../template/index.ts";
import type { Run } from "../run/run.ts";
import { planOf } from "./plan.ts";

export interface AwaitedList {
	/** The state that starts the children. */
	readonly state: string;
	readonly source: ListSource;
	/** Fields of an entry that make up the task of a child; empty: the entry does. */
	readonly fields: readonly string[];
	/** `chain`: each child begins after the one before it. */
	readonly order: ChildrenPlan["order"];
}

type ListSource =
	/** Saved in the snapshot: under a key, as pending tasks, or as findings. */
	| { readonly kind: "saved"; readonly name: string }
	| { readonly kind: "pendingTasks" | "findings" }
	/** In the data of the state's move. */
	| { readonly kind: "data"; readonly path: readonly string[] }
	| { readonly kind: "file"; readonly path: string };

/** The lists of the states that `state` leads to, directly or through states without a worker, in the order of `next`. */
export function awaitedLists(run: Run, state = run.state): readonly AwaitedList[] {
	const seen = new Set<string>();
	const follow = (name: string): readonly AwaitedList[] => {
		if (name === HUMAN_INTERVENTION || seen.has(name) || !run.plan.states.has(name)) return [];
		seen.add(name);
		const { children, persona, next } = planOf(run, name);
		const own = children ? awaitedBy(state, name, children, run) : [];
		return persona ? [] : [...own, ...next.flatMap(follow)];
	};
	return planOf(run, state).next.flatMap(follow);
}

function awaitedBy(state: string, name: string, children: ChildrenPlan, { plan }: Run): readonly AwaitedList[] {
	const { forEach, fromFile, order, branches, as } = children;
	if (forEach === undefined) return [];
	const rest = { state: name, fields: fieldsIn(branches[0]?.task, as), order };
	if (fromFile) return [{ ...rest, source: { kind: "file", path: forEach } }];
	if (forEach === "pendingTasks" || forEach === "findings") return [{ ...rest, source: { kind: forEach } }];
	const reference = referenceOf(forEach);
	if (reference === undefined) return [{ ...rest, source: { kind: "saved", name: forEach } }];
	const found = splitReference(reference, plan.states.keys());
	return found?.state === state ? [{ ...rest, source: { kind: "data", path: found.path } }] : [];
}

/** The fields of an entry that a task names: `{item.what}`. */
function fieldsIn(task = "{item}", as: string): readonly string[] {
	const named = [...task.matchAll(/\{([^{}\r\n]+)\}/g)].map(([, name = ""]) => name.split("."));
	const items = named.filter(([name]) => name === "item" || name === as);
	if (items.some(({ length }) => length === 1)) return [];
	return [...new Set(items.map(([, field = ""]) => field))];
}
