// Task lists that other tools write, as entries for `for_each`: `tasks.md` of Spec Kit, `tasks.json` of Taskmaster, and lists in Markdown. Pure.
// A task that is done, and one that is cancelled, is left out, and nothing waits for it.
import { readMarkdownTasks } from "./markdown-tasks.ts";
import { readTaskmaster } from "./taskmaster.ts";

/** Reads a task list. `text`: a JSON file of Taskmaster, a JSON list, or Markdown. */
export function readTaskList(text: string): { readonly items: readonly unknown[] } | { readonly problem: string } {
	const trimmed = text.replace(/^\uFEFF/, "").trim();
	if (!trimmed.startsWith("{") && !/^\[\s*([{"[\]\d]|$)/.test(trimmed)) return readMarkdownTasks(trimmed);
	let data: unknown;
	try {
		data = JSON.parse(trimmed);
	} catch (error) {
		return { problem: `is not valid JSON: ${(error as Error).message}` };
	}
	return Array.isArray(data) ? { items: data } : readTaskmaster(data);
}
