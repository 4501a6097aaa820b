// Plans the child runs of a state: how many, with which tasks, and whether they need folders of their own. Pure.

import { outputText, valueAt } from "../../output/index.ts";
import { entryPart, entryText, LONGEST_TEXT, textNames } from "../../snapshot/index.ts";
import {
	type Branch,
	type ChildrenPlan,
	hashDefinition,
	readNeeds,
	type StatePlan,
	type Template,
} from "../../template/index.ts";
import { childId, type PlannedChild } from "../run/child-run.ts";
import type { Run } from "../run/run.ts";
import { type ChildItem, readItems, readOutput } from "./child-items.ts";
import { mostProblems, needsOfItems } from "./child-needs.ts";

/** A child whose task is being filled in. */
interface TaskOwner {
	readonly branch: Branch;
	/** From 1. */
	readonly number: number;
	readonly item: ChildItem | undefined;
}

type Filled = { readonly text: string } | { readonly problem: string };

/** The name of a child of `for_each`. Unique: the number comes first. */
function itemName(branch: string, number: number, { key, value }: ChildItem): string {
	const words = (key ?? titleOfItem(value)).replace(/\s+/g, " ").trim();
	return `${branch} ${number}${words ? `: ${words.length > 40 ? `${words.slice(0, 39)}…` : words}` : ""}`;
}

/** Group fields that can serve as a name. */
const nameFields = ["name", "title", "key", "id", "path", "text"];

function titleOfItem(value: unknown): string {
	const named = nameFields.map((field) => valueAt(value, [field])).find(isTextual);
	return outputText(named ?? value);
}

function isTextual(value: unknown): value is string | number | boolean {
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The task with its variables replaced, or why one has no value. Other text in braces is kept, and without a run all but the item. */
function fillTask(
	run: Run | undefined,
	{ as, forEach = "" }: ChildrenPlan,
	owner: TaskOwner,
): string | { readonly problem: string } {
	const { branch, item, number } = owner;
	const problems: string[] = [];
	const text = branch.task ?? (item ? "{item}" : "{task}");
	const filled = text.replace(/\{([^{}\r\n]+)\}/g, (whole, written: string) => {
		const [name = "", ...path] = written.split(".");
		const isItem = item !== undefined && (name === "item" || name === as);
		const found = isItem
			? fillItem(item, path, `Entry ${number} of "${forEach}"`, whole)
			: run && fillVariable(run, number, written);
		if (found && "problem" in found) problems.push(found.problem);
		return found && "text" in found ? found.text : whole;
	});
	const [problem] = problems;
	return problem === undefined ? filled : { problem };
}

function fillItem(item: ChildItem, path: readonly string[], entry: string, whole: string): Filled {
	const value = item.entry
		? entryPart(item.entry, path)
		: (textOfFields(item.value, path) ?? valueAt(item.value, path));
	if (isTextual(value)) return { text: String(value) };
	const what = value === undefined ? "there is none" : `it is ${outputText(value).slice(0, 80)}`;
	return { problem: `${entry} has no text for \`${whole}\` in the task: ${what}.` };
}

/** Text of a whole object: its text, or its id if it has none, then its other fields without those that give it its place. */
function textOfFields(value: unknown, path: readonly string[]): string | undefined {
	if (path.length > 0 || typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	const { id, needs: _needs, ...fields } = value as Readonly<Record<string, unknown>>;
	const name = textNames.find((one) => typeof fields[one] === "string") ?? "";
	const { [name]: text = id, ...given } = fields;
	const others = Object.fromEntries(Object.entries(given).filter(([, field]) => field !== ""));
	const whole = entryText({ text: isTextual(text) ? String(text) : "", fields: others });
	return whole === "" ? undefined : whole;
}

/** `undefined`: not a variable. */
function fillVariable(run: Run, number: number, written: string): Filled | undefined {
	if (written === "task") return { text: run.task };
	if (written === "index") return { text: String(number) };
	if (!written.startsWith("output.")) return undefined;
	const found = readOutput(run, written.slice("output.".length));
	return "value" in found ? { text: outputText(found.value) } : found;
}

export type GroupPlan =
	| {
			readonly kind: "planned";
			readonly files: "own" | "shared";
			readonly children: readonly PlannedChild[];
	  }
	/** A sentence for the user. */
	| { readonly kind: "problem"; readonly detail: string };

/** A child before its task is filled in. */
interface WantedChild {
	readonly branch: Branch;
	readonly template: NonNullable<ReturnType<typeof templateOf>>;
	/** Index of the branch. */
	readonly index: number;
	readonly item: ChildItem | undefined;
}

/** Tools that change nothing. */
export const READ_ONLY_TOOLS: ReadonlySet<string> = new Set(["read", "grep", "find", "ls"]);

/** Maximum characters of a child's task, if it is not the task of the run. */
const taskLength = 2 * LONGEST_TEXT;

/** The children of the state that `plan` belongs to, in the current visit. */
export function planChildren(run: Run, plan: ChildrenPlan): GroupPlan {
	const branches = plan.branches.map((branch) => ({ branch, template: templateOf(run, branch) }));
	const missing = branches.find(({ template }) => !template);
	if (missing) return planProblem(`The template of "${missing.branch.name}" is not part of this run.`);
	const known = branches.flatMap(({ branch, template }) => (template ? [{ branch, template }] : []));
	const files = plan.files ?? (known.some(({ template }) => canTemplateWrite(run, template.plan)) ? "own" : "shared");
	if (files === "own" && filesNow(run) === null)
		return planProblem(
			`The children need folders of their own, but the files cannot be kept: ${run.baseline?.why ?? "unknown"}`,
		);
	const read = plan.forEach === undefined ? { items: [] } : readItems(run, plan);
	if ("problem" in read) return planProblem(read.problem);
	const ordered = needsOfItems(read.items, plan.forEach ?? "");
	if ("problems" in ordered) return planProblem(ordered.problems.join(" "));
	const [only] = known;
	const wanted: readonly WantedChild[] =
		plan.forEach === undefined
			? known.map(({ branch, template }, index) => ({ branch, template, index, item: undefined }))
			: read.items.flatMap((item) => (only ? [{ ...only, index: 0, item }] : []));
	const tasks = wanted.map((child, position) => fillTask(run, plan, { ...child, number: position + 1 }));
	const wrong = tasks.find((task) => typeof task !== "string");
	if (wrong) return planProblem(wrong.problem);
	const long = tasks.find((task) => String(task).length > taskLength && task !== run.task);
	if (long)
		return planProblem(
			`The task of a child has ${String(long).length} characters, but the limit is ${taskLength}: put the long part in a file and name the file.`,
		);
	const needs = needsByPosition(plan, wanted.length, ordered.needs);
	const children = wanted.map((child, position): PlannedChild => {
		const { branch, template, index, item } = child;
		const number = position + 1;
		return {
			index: number,
			id: idOfNextChild(run, number),
			name: item ? itemName(branch.name, number, item) : branch.name,
			template: template.name,
			hash: template.hash,
			task: String(tasks[position]),
			branch: index,
			...(item?.entry === undefined ? {} : { entry: item.entry.id }),
			...(needs ? { needs: (needs[position] ?? []).map((index) => index + 1) } : {}),
		};
	});
	return { kind: "planned", files, children };
}

/** Why the list that `for_each` names can have no children, one sentence each; empty: it can. */
export function problemsOfList(run: Run, plan: ChildrenPlan): readonly string[] {
	const read = readItems(run, plan);
	return "problem" in read ? [read.problem] : problemsOfItems(plan, read.items, run);
}

/** The same for the entries of a list. Without a run, nothing else in the task is filled in. */
export function problemsOfItems(plan: ChildrenPlan, items: readonly ChildItem[], run?: Run): readonly string[] {
	const ordered = needsOfItems(items, plan.forEach ?? "");
	if ("problems" in ordered) return ordered.problems;
	const [branch] = plan.branches;
	const tasks = branch ? items.map((item, at) => fillTask(run, plan, { branch, number: at + 1, item })) : [];
	return tasks.flatMap((task) => (typeof task === "string" ? [] : [task.problem])).slice(0, mostProblems);
}

/** The indexes, from 0, of the children that each child needs; `undefined`: no child needs another. */
function needsByPosition(
	{ order, branches, forEach }: ChildrenPlan,
	count: number,
	items: readonly (readonly number[])[] | undefined,
): readonly (readonly number[])[] | undefined {
	if (order === "chain") return Array.from({ length: count }, (_, index) => (index === 0 ? [] : [index - 1]));
	if (forEach !== undefined) return items;
	if (branches.every(({ needs = [] }) => needs.length === 0)) return undefined;
	const tasks = branches.map(({ name, needs = [] }) => ({ id: name, needs }));
	return readNeeds(tasks, String).needs;
}

/** The run id of the next planned child with this number. Ids are unique within a run, because earlier children are over. */
export function idOfNextChild({ id, visit, childCount }: Run, number: number): string {
	return childId(id, visit, childCount + number);
}

/** The files that own folders start with; `null` if they cannot be recorded. */
export function filesNow({ baseline }: Run): string | null {
	return baseline?.now ?? baseline?.tree ?? null;
}

function planProblem(detail: string): GroupPlan {
	return { kind: "problem", detail };
}

/** The definition of a child's template as pinned in the run. */
export function templateOf(
	run: Run,
	{ name, template }: Branch,
):
	| {
			readonly name: string;
			readonly hash: string;
			readonly definition: unknown;
			readonly plan: Template | undefined;
			readonly file?: string;
	  }
	| undefined {
	if (template.kind === "inline")
		return {
			name,
			hash: hashDefinition(template.definition),
			definition: template.definition,
			plan: template.template,
		};
	const pinned = run.template.children?.[template.name];
	return pinned && { name: template.name, ...pinned, plan: run.childPlans.get(template.name) };
}

/** Whether a worker of the template, or of a child of it, may change files. */
function canTemplateWrite(run: Run, template: Template | undefined): boolean {
	if (!template) return true;
	return [...template.states.values()].some((state) => stateCanWrite(run, state));
}

function stateCanWrite(run: Run, { tools, persona, children, command, cleanup, extensions }: StatePlan): boolean {
	if (children) return children.branches.some((branch) => canTemplateWrite(run, templateOf(run, branch)?.plan));
	if (command) return true;
	if (!persona) return false;
	if (cleanup.length > 0 || extensions.length > 0) return true;
	if (tools) return tools.some((tool) => !READ_ONLY_TOOLS.has(tool));
	return !(run.template.readOnlyAgents ?? []).includes(persona.name);
}
