// Compiles the fields of a state that is done by child runs.

import {
	type MapNode,
	type Node,
	nearest,
	plainOf,
	type ReadContext,
	readObject,
	type Values,
} from "../definition/index.ts";
import {
	type BranchEntry,
	branchFields,
	childOnlyKeys,
	type childrenFields,
	orderFields,
	type RunNode,
} from "./children-fields.ts";
import { type InheritedFields, inheritFields, withText } from "./inherited-fields.ts";
import { checkName } from "./names.ts";
import { readNeeds } from "./needs.ts";
import { reporterAt, type StateNode } from "./state-node.ts";
import type { Branch, ChildrenPlan, ChildTemplate, Template } from "./template.ts";

/** Reads an inline template. Reports its problems under `path`. */
export type ReadInline = (
	node: MapNode,
	path: string,
	fallbackName: string,
	/** Path of its only state, if the file has the state without the template around it. */
	onlyState?: string,
) => Template | undefined;

type ChildrenValues = Values<typeof childrenFields>;

/** Inputs for compiling a state that is done by child runs. */
export interface ChildrenContext {
	readonly at: StateNode;
	readonly reading: ReadContext;
	readonly readInline: ReadInline;
	/** Team of branches that are states and name none. */
	readonly team: string | undefined;
	/** What inline templates get. */
	readonly inherited: InheritedFields;
}

/** Fields of a worker, which a state that is done by child runs does not have. */
const workerKeys = [
	"tools",
	"shell",
	"skills",
	"extra_skills",
	"extensions",
	"model",
	"models",
	"thinking",
	"instructions",
	"output",
];

/** The plan of the state's children; `undefined` if a worker does the state, or if a problem was reported. */
export function compileChildren(
	name: string,
	values: ChildrenValues,
	context: ChildrenContext,
): ChildrenPlan | undefined {
	const { at, reading } = context;
	const { run, branches } = values;
	if (run === undefined && branches === undefined) {
		for (const key of childOnlyKeys)
			if (at.node.entries.has(key))
				reporterAt(context.at, context.reading)("error", key, {
					code: "no-children",
					message: `\`${reading.path}\` has \`${key}\`, but neither \`run\` nor \`branches\`.`,
					remedy: "Name the template to run in `run`, or remove it.",
				});
		return undefined;
	}
	checkExclusive(values, context);
	const compiled =
		branches === undefined
			? run && [compileBranch({ name, run, task: values.task }, `${reading.path}.run`, context)]
			: branches.map((entry) => readBranch(entry, context));
	const known = compiled?.filter((branch) => branch !== undefined) ?? [];
	if (known.length !== compiled?.length) return undefined;
	checkOrder(values, known, context);
	if (typeof values.join === "number" && values.for_each === undefined && values.join > known.length)
		reporterAt(context.at, context.reading)("error", "join", {
			code: "bad-value",
			message: `\`${reading.path}.join\` is ${values.join}, but the state has ${known.length} ${known.length === 1 ? "child" : "children"}.`,
			remedy: `Write a number up to ${known.length}, or \`all\`.`,
		});
	return plan(values, known);
}

function plan(values: ChildrenValues, branches: readonly Branch[]): ChildrenPlan {
	const { for_each, files, merge_by, on_conflict, order } = values;
	return {
		branches,
		forEach: for_each?.name,
		...(for_each?.isFile ? { fromFile: true } : {}),
		as: values.as,
		...(order === undefined ? {} : { order }),
		maxParallel: values.max_parallel,
		files,
		setup: values.setup,
		links: values.link ?? [],
		keep: values.keep ?? [],
		take: values.take,
		join: values.join,
		onFailed: values.on_failed,
		onConflict: on_conflict ?? (merge_by === undefined ? "person" : "worker"),
		mergeBy: merge_by,
	};
}

/** Exactly one of `persona` or `agent`, `run`, and `branches` defines who does the state; the other fields must match it. */
function checkExclusive(values: ChildrenValues, context: ChildrenContext): void {
	const { at, reading } = context;
	const own = values.run === undefined ? "branches" : "run";
	const others = own === "run" ? ["persona", "agent", "branches"] : ["persona", "agent"];
	const idle = own === "run" ? [] : ["for_each", "task"];
	for (const key of at.node.entries.keys())
		if (others.includes(key))
			reporterAt(context.at, context.reading)("error", key, {
				code: "two-doers",
				message: `\`${reading.path}\` has both \`${own}\` and \`${key}\`; only one of them can do the state.`,
				remedy: "Keep one of the two.",
			});
		else if (idle.includes(key))
			reporterAt(context.at, context.reading)("error", key, {
				code: "no-effect",
				message: `\`${reading.path}\` has \`branches\`, so its \`${key}\` has no effect.`,
				remedy: key === "task" ? "Write a `task` in each branch." : "Use `run` with `for_each`.",
			});
		else if (workerKeys.includes(key))
			reporterAt(context.at, context.reading)("warn", key, {
				code: "no-effect",
				message: `\`${reading.path}\` is done by child runs, so its \`${key}\` has no effect.`,
				remedy: "Write it in the states of the child's template.",
			});
}

/** Reports children that cannot get the order that the state asks for. */
function checkOrder({ order, take }: ChildrenValues, branches: readonly Branch[], context: ChildrenContext): void {
	const { at, reading } = context;
	const hasNeeds = branches.some(({ needs = [] }) => needs.length > 0);
	if (hasNeeds && order !== undefined)
		reporterAt(context.at, context.reading)("error", "order", {
			code: "two-orders",
			message: `\`${reading.path}\` has an \`order\`, and branches with \`needs\`.`,
			remedy: "Keep one of the two.",
		});
	if ((hasNeeds || order !== undefined) && take === "one")
		reporterAt(context.at, context.reading)("error", "take", {
			code: "no-effect",
			message: `\`${reading.path}.take\` is \`one\`, but its children build on each other, so the files of all are joined.`,
			remedy: "Remove it, or let all children do the same work.",
		});
	const tasks = branches.map(({ name, needs = [] }) => ({ id: name, needs }));
	const nodes = at.node.entries.get("branches")?.value;
	for (const { at: index, message } of readNeeds(tasks, (one) => `\`${branches[one]?.name}\``).problems) {
		const node = nodes?.kind === "map" ? nodes.entries.get(branches[index]?.name ?? "")?.value : undefined;
		const entry = node?.kind === "map" ? node.entries.get("needs") : undefined;
		reading.report.error(reading.source.place(entry?.keyStart ?? at.keyStart), {
			code: "bad-needs",
			message: `\`${reading.path}.branches\`: ${message}.`,
			remedy: "Name other branches of the state, so that one can start first.",
		});
	}
}

function readBranch(entry: BranchEntry, context: ChildrenContext): Branch | undefined {
	const { reading } = context;
	const path = `${reading.path}.branches.${entry.name}`;
	if (!checkName(entry.name, entry.keyStart, reading)) return undefined;
	if (!entry.node.entries.has("run")) return readStateBranch(entry, path, context);
	const read = readObject(entry.node, branchFields, { ...reading, path }, { unknown: () => "error" });
	return read.kind === "read" ? compileBranch({ name: entry.name, ...read.values }, `${path}.run`, context) : undefined;
}

/** A branch that is written as a state, with the field `needs` of a branch. */
function readStateBranch(entry: BranchEntry, path: string, context: ChildrenContext): Branch | undefined {
	const { keyStart, node } = entry;
	// A misspelled one too: no field of a state is near.
	const isOrder = (key: string): boolean => nearest(key, Object.keys(orderFields)) !== undefined;
	const only = { ...node, entries: new Map([...node.entries].filter(([key]) => isOrder(key))) };
	const read = readObject(only, orderFields, { ...context.reading, path }, { unknown: () => "error" });
	const state = { ...node, entries: new Map([...node.entries].filter(([key]) => !isOrder(key))) };
	const run: RunNode = {
		kind: "inline",
		node: oneState({ name: entry.name, keyStart, node: state }, context.team),
	};
	const values = read.kind === "read" ? read.values : undefined;
	const branch = compileBranch({ name: entry.name, run, task: undefined, ...values }, path, {
		...context,
		readInline: (inner, at, name) => context.readInline(inner, at, name, at),
	});
	return values && branch;
}

/** The one-state template of a branch that is written as a state. Its `task` is the task of the child. */
function oneState({ name, keyStart, node }: BranchEntry, team: string | undefined): MapNode {
	const { start, end } = node;
	const map = (key: string, value: Node): MapNode => ({
		kind: "map",
		entries: new Map([[key, { keyStart, value }]]),
		start,
		end,
	});
	return withText(map("states", map(name, node)), "team", team);
}

function compileBranch(
	{
		name,
		run,
		task,
		needs,
	}: {
		readonly name: string;
		readonly run: RunNode;
		readonly task: string | undefined;
		readonly needs?: readonly string[] | undefined;
	},
	path: string,
	context: ChildrenContext,
): Branch | undefined {
	const template = compileRun(run, path, name, context);
	return template && { name, template, task, ...(needs === undefined ? {} : { needs }) };
}

function compileRun(
	run: RunNode,
	path: string,
	name: string,
	{ readInline, inherited }: ChildrenContext,
): ChildTemplate | undefined {
	if (run.kind === "named") return { kind: "named", name: run.name };
	const node = inheritFields(run.node, inherited);
	const template = readInline(node, path, name);
	return template && { kind: "inline", definition: plainOf(node), template };
}
