// The entries for which `for_each` starts children: pending tasks, findings, a saved list, or a list in a state's output. Pure.
import { outputText, referenceOf, splitReference, valueAt } from "../../output/index.ts";
import { entryValue, type Finding, outputsOf } from "../../snapshot/index.ts";
import type { ChildrenPlan } from "../../template/index.ts";
import type { Run } from "../run/run.ts";

/** One entry of the list. */
export interface ChildItem {
	/** JSON data: a string, a number, an object … */
	readonly value: unknown;
	readonly key?: string;
	/** The pending task or finding. */
	readonly entry?: Finding;
}

export type ItemsRead = { readonly items: readonly ChildItem[] } | { readonly problem: string };

/** The entries of the list named by `source`, the value of `for_each`. */
export function readItems(run: Run, { forEach: source = "", fromFile }: ChildrenPlan): ItemsRead {
	const { snapshot } = run;
	if (fromFile) {
		const { list = { problem: "has not been read" } } = run;
		return "problem" in list ? { problem: `"${source}" ${list.problem}.` } : childItemsIn(list.items, source);
	}
	if (source === "pendingTasks" || source === "findings") {
		const missing = (snapshot.missing ?? snapshot.dropped)[source];
		if (missing > 0)
			return {
				problem: `${missing} ${source} were dropped because of their length, so not every entry can have a child: resolve all that are left and save shorter ones, or save a list under a key.`,
			};
		return {
			items: snapshot[source].map((entry) => ({
				value: entryValue(entry),
				entry,
				key: entry.key,
			})),
		};
	}
	const reference = referenceOf(source);
	if (reference !== undefined) {
		const found = readOutput(run, reference);
		return "problem" in found ? found : childItemsIn(found.value, source);
	}
	const named = snapshot.findings.filter(({ key }) => key?.toLowerCase() === source.toLowerCase());
	const found = named.find(({ key }) => key === source) ?? named[0];
	if (!found)
		return {
			problem: `\`for_each\` names "${source}", but no worker has saved a list under this key: \`workflow_update_snapshot\` with { "${source}": [ … ] } does.`,
		};
	if (found.cut) return { problem: `The list "${source}" is too long to be saved completely: save a shorter one.` };
	return found.fields === undefined ? readListText(found.text, source) : readListField(found, source);
}

/** A list that a worker saved as a field beside its key. */
function readListField({ fields = {} }: Finding, source: string): ItemsRead {
	const [list, ...others] = Object.values(fields).filter(Array.isArray);
	return others.length > 0 ? { problem: `"${source}" has more than one list.` } : childItemsIn(list, source);
}

/** A list that a worker saved: JSON, or one item per line. */
function readListText(text: string, source: string): ItemsRead {
	const trimmed = text.trim();
	if (!trimmed.startsWith("[")) {
		const lines = trimmed.split("\n").map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, "").trim());
		return { items: lines.filter(Boolean).map((value) => ({ value })) };
	}
	let value: unknown;
	try {
		value = JSON.parse(trimmed);
	} catch {
		return { problem: `The list "${source}" is not valid JSON.` };
	}
	return childItemsIn(value, source);
}

function childItemsIn(value: unknown, source: string): ItemsRead {
	return Array.isArray(value)
		? { items: value.map((item: unknown) => ({ value: item })) }
		: { problem: `"${source}" is not a list.` };
}

/** The data that `output.<reference>` names, or why there is none. */
export function readOutput(run: Run, reference: string): { readonly value: unknown } | { readonly problem: string } {
	const found = splitReference(reference, statesWithData(run));
	const output = knownOutputs(run).findLast(({ state }) => state === found?.state);
	if (!found || !output)
		return {
			problem: `"output.${reference}" names data that no state has handed over${found ? ` ("${found.state}")` : ""}.`,
		};
	const value = valueAt(output.data, found.path);
	if (value === undefined)
		return {
			problem: `The data of "${found.state}" has no "${found.path.join(".")}": ${outputText(output.data).slice(0, 200)}`,
		};
	return { value };
}

/** Names of the states whose data a text of this run can name: its own, and those of its parents. */
export function statesWithData(run: Run): readonly string[] {
	return [...run.plan.states.keys(), ...knownOutputs(run).map(({ state }) => state)];
}

/** The data that this run and its parents have; of two states with one name, that of this run is the last. */
function knownOutputs({ snapshot, inherited }: Run): NonNullable<Run["snapshot"]["outputs"]> {
	return [...(inherited ? outputsOf(inherited.snapshot) : []), ...outputsOf(snapshot)];
}
