// Task lists that other tools write, as entries for `for_each`: `tasks.md` of Spec Kit, `tasks.json` of Taskmaster, and lists in Markdown. Pure.
// T1 a task that is done, and one that is cancelled, is left out, and nothing waits for it.
import { readMarkdownTasks } from "./markdown-tasks.ts";
import { readTaskmaster } from "./taskmaster.ts";

/** One task, as a child gets it. */
export interface ListedTask {
	/** Unique in its file: `T012`, `3`, `3.1`. */
	readonly id: string;
	readonly title: string;
	/** What the file says about it besides its title; absent: nothing. */
	readonly details?: string;
	/** Ids of tasks of the list. */
	readonly needs: readonly string[];
}

export type TaskListRead =
	| { readonly tasks: readonly ListedTask[] }
	/** A sentence without its end. */
	| { readonly problem: string };

/** Reads a task list. `text`: a JSON file of Taskmaster, a JSON list, or Markdown. */
export function readTaskList(text: string): { readonly items: readonly unknown[] } | { readonly problem: string } {
	const trimmed = text.replace(/^\uFEFF/, "").trim();
	if (!trimmed.startsWith("{") && !/^\[\s*([{"[\]\d]|$)/.test(trimmed)) return itemsOf(readMarkdownTasks(trimmed));
	let data: unknown;
	try {
		data = JSON.parse(trimmed);
	} catch (error) {
		return { problem: `is not valid JSON: ${(error as Error).message}` };
	}
	return Array.isArray(data) ? { items: data } : itemsOf(readTaskmaster(data));
}

function itemsOf(read: TaskListRead): { readonly items: readonly unknown[] } | { readonly problem: string } {
	return "tasks" in read ? { items: read.tasks } : read;
}
