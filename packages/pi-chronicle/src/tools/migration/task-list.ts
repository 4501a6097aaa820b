// Task lists of other tools: each becomes a chronicle that does its tasks, at the same time as far as their order allows, and runs the tests.
import { basename, dirname, relative, sep } from "node:path";
import { isInside, type Source } from "@pi-chronicle/core/definition";
import { readTaskList } from "@pi-chronicle/core/tasks";
import { stringify } from "yaml";
import { fileSlug, type ImportDraft, type ImportTarget, originComment } from "./draft.ts";
import { ImportRefusal } from "./plain-value.ts";
import { stemOf } from "./sources.ts";

const format = "a task list";

/** Whether a text is a list with open tasks. */
export function isTaskList({ text }: Source): boolean {
	const read = readTaskList(text);
	return "items" in read && read.items.length > 0 && read.items.every((item) => typeof item === "object");
}

/** The chronicle for the list in `source`. A list outside the project is copied into it. */
export function templateOfTasks({ file, text }: Source, { cwd }: ImportTarget, prefix: string): ImportDraft {
	const read = readTaskList(text);
	if ("problem" in read) throw new ImportRefusal(`The list ${read.problem}.`);
	const name = fileSlug(prefix + chronicleNameOf(file), "tasks");
	const inside = isInside(cwd, file) ? relative(cwd, file).split(sep).join("/") : undefined;
	const path = inside ?? `.pi/chronicle/tasks/${name}${basename(file).replace(/^[^.]*/, "")}`;
	const task = { persona: "Engineer who does one task of a list, with its tests, and nothing of the other tasks" };
	const template = {
		description: `the tasks in ${path}, in their order, and then the project's tests`,
		states: {
			tasks: {
				run: { states: { task: { ...task, next: ["done"] }, done: {} } },
				for_each: { file: path },
				merge_by: "Engineer who merges the work of others",
				next: ["tests"],
			},
			tests: { command: "{tests}", repeatable: true, timeout: "30m", next: ["done", "repair"] },
			repair: {
				persona: "Engineer who repairs what the tests report",
				instructions: "The project's tests have failed after all tasks were done. Repair the cause.\n",
				next: ["tests"],
			},
			done: {},
		},
	};
	const main = {
		path: `.pi/chronicle/workflows/${name}.yaml`,
		text: `${originComment({ from: file, format, notes: [] })}${stringify(template, { lineWidth: 0 })}`,
	};
	return {
		...{ kind: "chronicle template", name, from: file, format, notes: [] },
		files: [main, ...(inside === undefined ? [{ path, text: text.replaceAll("\r\n", "\n") }] : [])],
		reads: inside === undefined ? [] : [inside],
	};
}

/** `specs/003-login/tasks.md` is `003-login-tasks`. */
function chronicleNameOf(file: string): string {
	const stem = stemOf(file);
	const folder = basename(dirname(file));
	return /^(?:tasks|todo)$/i.test(stem) && folder !== stem ? `${folder}-${stem}` : stem;
}
