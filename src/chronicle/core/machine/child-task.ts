// The name and the task of a child, with variables replaced. Pure.
import { outputText, valueAt } from "../output/index.ts";
import { entryPart } from "../snapshot/index.ts";
import type { Branch, ChildrenPlan } from "../template/index.ts";
import { type ChildItem, readOutput } from "./child-items.ts";
import type { Run } from "./run.ts";

/** A child whose task is being filled in. */
export interface TaskOwner {
	readonly branch: Branch;
	/** From 1. */
	readonly number: number;
	readonly item: ChildItem | undefined;
}

type Filled = { readonly text: string } | { readonly problem: string };

/** The name of a child of `for_each`. Unique: the number comes first. */
export function itemName(branch: string, number: number, { key, value }: ChildItem): string {
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

/** The task with its variables replaced, or why one has no value. Other text in braces is kept. */
export function fillTask(
	run: Run,
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
			: fillVariable(run, number, written);
		if (found && "problem" in found) problems.push(found.problem);
		return found && "text" in found ? found.text : whole;
	});
	const [problem] = problems;
	return problem === undefined ? filled : { problem };
}

function fillItem(item: ChildItem, path: readonly string[], entry: string, whole: string): Filled {
	const value = item.entry ? entryPart(item.entry, path) : valueAt(item.value, path);
	if (isTextual(value)) return { text: String(value) };
	if (path.length === 0) return { problem: `${entry} is not a string: ${outputText(value).slice(0, 80)}.` };
	const what = value === undefined ? "there is none" : `it is ${outputText(value).slice(0, 80)}`;
	return { problem: `${entry} has no text for \`${whole}\` in the task: ${what}.` };
}

/** `undefined`: not a variable. */
function fillVariable(run: Run, number: number, written: string): Filled | undefined {
	if (written === "task") return { text: run.task };
	if (written === "index") return { text: String(number) };
	if (!written.startsWith("output.")) return undefined;
	const found = readOutput(run, written.slice("output.".length));
	return "value" in found ? { text: outputText(found.value) } : found;
}
