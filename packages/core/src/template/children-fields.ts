// The fields of a state whose work is done by child runs: which runs, how many at a time, and how their results are joined.
import {
	choice,
	custom,
	integer,
	type MapNode,
	type Node,
	names,
	type ReadContext,
	readObject,
	text,
	wrongType,
} from "../definition/index.ts";
import { cleanupField } from "./cleanup.ts";

/** A template to run: its name, or an inline definition. */
export type RunNode =
	| { readonly kind: "named"; readonly name: string; readonly start: number }
	| { readonly kind: "inline"; readonly node: MapNode };

export interface BranchEntry {
	readonly name: string;
	readonly keyStart: number;
	readonly node: MapNode;
}

/** The value of `for_each`. */
export interface ListSource {
	/** The name of a list, or the path of a file. */
	readonly name: string;
	readonly isFile: boolean;
}

const sourceFields = {
	file: text({ about: "Path of the file, relative to the project.", form: "line", max: 200, required: true }),
};

const runAbout = "Template of the child run that does the work of this state: its name, or an inline template.";
const runType = "template name, or inline template";
const runSchema = { anyOf: [{ type: "string", pattern: "\\S" }, { $ref: "#" }] };

const run = custom<RunNode, { about: string }>({ about: runAbout }, runType, runSchema, readRunField);

const task = text({
	about:
		"Task of the child. It may contain `{item}` (or the name in `as`; `{item.name}` for a field of an entry that is an object), `{index}`, `{task}` (the task of this run) and `{output.<state>.<path>}`. Default: the item; without `for_each`, the task of this run.",
	max: 8000,
	shown: "`{item}`, or `{task}`",
});

const needs = names({
	about:
		"Branches that this one needs: it starts once their files are joined, with those files and with what they found.",
});

/** The field of every branch, also of one that is a state. */
export const orderFields = { needs };

/** A branch that names a template. A branch without `run` is a state: a template of one state. */
export const branchFields = {
	run: custom<RunNode, { about: string; required: true }>(
		{ about: runAbout, required: true },
		runType,
		runSchema,
		readRunField,
	),
	task,
	needs,
};

export const childrenFields = {
	run,
	branches: custom<readonly BranchEntry[], { about: string }>(
		{
			about:
				'Child runs by name: each `{ "run": …, "task": …, "needs": … }`, or the fields of a state (`persona`, `tools`, `instructions` …) and `needs`. All start together, except those that need others.',
		},
		"object of runs or states",
		{
			type: "object",
			minProperties: 1,
			maxProperties: 100,
			additionalProperties: { anyOf: [{ $ref: "#/$defs/branch" }, { $ref: "#/$defs/state_branch" }] },
		},
		readBranches,
	),
	for_each: custom<ListSource, { about: string }>(
		{
			about:
				"Starts one child for each entry of a list, in order: `pendingTasks`, `findings`, the key of a list that a worker has saved, or a list in the data of a state: `output.<state>.<path>`. An entry with an `id` and `needs`, a list of ids, starts after the entries that it needs. `{ file: … }`: a task list in a file of the project, such as `tasks.md` of Spec Kit, `tasks.json` of Taskmaster, or a list in Markdown. If the list is empty, the run leaves the state immediately.",
		},
		"string, or `{ file }`",
		{
			anyOf: [
				{ type: "string", pattern: "\\S", maxLength: 200 },
				{
					type: "object",
					required: ["file"],
					additionalProperties: false,
					properties: { file: { type: "string", pattern: "\\S", maxLength: 200 } },
				},
			],
		},
		readSource,
	),
	as: text({
		about: "Name of the variable that holds the item in `task`.",
		form: "line",
		pattern: /^[A-Za-z_][\w-]*$/,
		allows: "letters, digits, - and _",
		max: 40,
		fallback: "item",
	}),
	task,
	order: choice(["chain"], {
		about: "`chain`: each child needs the one before it, so that one works at a time. Default: as their `needs` say.",
	}),
	max_parallel: integer({
		about: "Maximum number of children that run at the same time.",
		min: 1,
		max: 100,
		fallback: 3,
	}),
	files: choice(["own", "shared"], {
		about:
			"`own`: each child gets its own folder, with a copy of the files as they are when it starts. `shared`: the children use the folder of this run; only for children that cannot write.",
		shown: "`own` if a child can write, otherwise `shared`",
	}),
	setup: {
		...cleanupField,
		about: "Commands that run in each child's own folder before its first worker. You approve them like `cleanup`.",
	},
	link: names({
		about:
			"Ignored files and folders that each child's own folder also gets, as copies: names such as `node_modules` or `.env`, and patterns such as `**/node_modules`. Each must exist.",
	}),
	keep: names({
		about:
			"Ignored files that count as files of the run from this state on, such as `dist/**`: each child's own folder gets those that exist, and what a child makes is joined.",
	}),
	join: custom<"all" | "any" | number, { about: string; fallback: "all" }>(
		{
			about:
				"How many children must finish as done: `all`, `any` (the first one; the others are aborted), or a number.",
			fallback: "all",
		},
		'`"all"`, `"any"` or a number',
		{ anyOf: [{ enum: ["all", "any"] }, { type: "integer", minimum: 1, maximum: 100 }] },
		readJoin,
	),
	take: choice(["all", "one"], {
		about:
			"Whose files are merged: those of `all` children that are done, or those of `one`, which the worker of the next state names as `winner` in its data.",
		fallback: "all",
	}),
	on_failed: choice(["wait", "continue", "fail"], {
		about:
			"What happens if a child fails: `wait` until you resume or drop it, `continue` with the children that are done, or `fail` the run.",
		fallback: "wait",
	}),
	on_conflict: choice(["worker", "person", "fail"], {
		about: "Who resolves merge conflicts: a worker, you, or nobody (the run fails).",
		shown: "`worker` with `merge_by`, otherwise `person`",
	}),
	merge_by: text({
		about: "Persona or agent of the worker that resolves merge conflicts.",
		form: "line",
		max: 400,
	}),
};

/** Fields that only have a meaning together with `run` or `branches`. */
export const childOnlyKeys = Object.keys(childrenFields).filter((key) => key !== "run" && key !== "branches");

function readSource(node: Node, reading: ReadContext): ListSource | undefined {
	if (node.kind === "map") {
		const read = readObject(node, sourceFields, reading, { unknown: () => "error" });
		if (read.kind !== "read") return undefined;
		const { file } = read.values;
		if (/^([/\\~]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(file))
			return wrongType(
				node,
				reading,
				"a file of the project",
				"Write its path relative to the project's folder, without `..`.",
			);
		return { name: file, isFile: true };
	}
	const value = node.kind === "scalar" ? node.value : undefined;
	if (typeof value === "string" && value.trim() !== "" && value.length <= 200 && !/[\r\n]/.test(value.trim()))
		return { name: value.trim(), isFile: false };
	return wrongType(
		node,
		reading,
		"the name of a list, or `{ file }`",
		'Write `"pendingTasks"`, `"output.<state>.<field>"` or `{ "file": "tasks.md" }`.',
	);
}

function readRunField(node: Node, reading: ReadContext): RunNode | undefined {
	if (node.kind === "map") return { kind: "inline", node };
	if (node.kind === "scalar" && typeof node.value === "string" && node.value.trim() !== "")
		return { kind: "named", name: node.value.trim(), start: node.start };
	return wrongType(node, reading, runType, "Write the name of a template file, without its extension.");
}

function readBranches(node: Node, reading: ReadContext): readonly BranchEntry[] | undefined {
	if (node.kind !== "map" || node.entries.size === 0)
		return wrongType(
			node,
			reading,
			"an object with at least one branch",
			'Write `"name": { "run": "…" }` for each branch.',
		);
	if (node.entries.size > 100)
		return wrongType(node, reading, "an object with at most 100 branches", "Split the state.");
	const entries: BranchEntry[] = [];
	for (const [name, { keyStart, value }] of node.entries)
		if (value.kind === "map") entries.push({ name, keyStart, node: value });
		else
			wrongType(
				value,
				{ ...reading, path: `${reading.path}.${name}` },
				"an object",
				'Write `{ "run": "…" }`, or the fields of a state.',
			);
	return entries.length === node.entries.size ? entries : undefined;
}

function readJoin(node: Node, reading: ReadContext): "all" | "any" | number | undefined {
	const value = node.kind === "scalar" ? node.value : undefined;
	if (value === "all" || value === "any") return value;
	if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 100) return value;
	return wrongType(node, reading, '`"all"`, `"any"` or a whole number from 1 to 100', "Write one of them.");
}
