// `tasks.json` of Taskmaster: tasks with dependencies and subtasks, at the top or below tags. Pure.
// The subtasks of a task are done instead of it, after what it depends on; who depends on it waits for all of them.
import { propertiesOf } from "../definition/index.ts";
import type { ListedTask, TaskListRead } from "./listed-task.ts";

interface Task {
	readonly id: string;
	readonly title: string;
	readonly details: string;
	readonly isOver: boolean;
	readonly dependencies: readonly string[];
	readonly subtasks: readonly Task[];
}

/** The tag that Taskmaster uses if none is named. */
const firstTag = "master";
const over = new Set(["done", "completed", "cancelled", "canceled"]);
const detailFields = ["description", "details", "testStrategy"];

/** Reads the tasks of the file, or of its tag `master`, or of its only tag. */
export function readTaskmaster(data: unknown): TaskListRead {
	const tags = Object.entries(propertiesOf(data)).filter(([, value]) => Array.isArray(propertiesOf(value).tasks));
	const [only, second] = tags;
	const [, chosen] = tags.find(([name]) => name === firstTag) ?? (second === undefined ? (only ?? []) : []);
	const found = propertiesOf(data).tasks ?? propertiesOf(chosen).tasks;
	if (!Array.isArray(found)) {
		const named = tags.map(([name]) => `"${name}"`).join(", ");
		return { problem: tags.length > 1 ? `has no tag "${firstTag}", but ${named}` : "has no list of tasks" };
	}
	const tasks = found.map((value, at) => readTask(value, String(at + 1)));
	return { items: tasks.filter(({ isOver }) => !isOver).flatMap((task) => listedTasks(task, tasks)) };
}

function readTask(value: unknown, fallback: string): Task {
	const { id = fallback, title, status, dependencies, subtasks, ...others } = propertiesOf(value);
	const details = detailFields.map((name) => valueText(others[name])).filter((text) => text !== "");
	return {
		id: valueText(id),
		title: valueText(title),
		details: details.join("\n"),
		isOver: over.has(valueText(status).toLowerCase()),
		dependencies: Array.isArray(dependencies) ? dependencies.map(valueText) : [],
		subtasks: Array.isArray(subtasks) ? subtasks.map((one, at) => readTask(one, String(at + 1))) : [],
	};
}

/** The task, or its subtasks that are left. */
function listedTasks(task: Task, all: readonly Task[]): readonly ListedTask[] {
	const before = task.dependencies.flatMap((id) => expanded(id, all));
	const open = task.subtasks.filter(({ isOver }) => !isOver);
	if (open.length === 0) return [listedTask(task, task.id, before)];
	return open.map((sub) => {
		const id = idOfSubtask(task, sub);
		const own = sub.dependencies.flatMap((needed) => {
			const sibling = task.subtasks.find((one) => one.id === needed || idOfSubtask(task, one) === needed);
			if (!sibling) return expanded(needed, all);
			return sibling.isOver ? [] : [idOfSubtask(task, sibling)];
		});
		const about = [`Part of: ${task.title}`, task.details, sub.details].filter((text) => text !== "").join("\n");
		return listedTask({ ...sub, details: about }, id, [...before, ...own]);
	});
}

function listedTask({ title, details }: Task, id: string, needs: readonly string[]): ListedTask {
	return { id, title, details, needs: [...new Set(needs)] };
}

function idOfSubtask(task: Task, { id }: Task): string {
	return id.startsWith(`${task.id}.`) ? id : `${task.id}.${id}`;
}

/** The listed tasks that stand for the id of a task or subtask; an unknown id is kept, and reported by the check of the list. */
function expanded(id: string, all: readonly Task[]): readonly string[] {
	const task = all.find((one) => one.id === id);
	if (task) return task.isOver ? [] : listedIds(task);
	for (const parent of all) {
		const sub = parent.subtasks.find((one) => idOfSubtask(parent, one) === id);
		if (sub) return sub.isOver || parent.isOver ? [] : [id];
	}
	return [id];
}

function listedIds(task: Task): readonly string[] {
	const open = task.subtasks.filter(({ isOver }) => !isOver);
	return open.length === 0 ? [task.id] : open.map((sub) => idOfSubtask(task, sub));
}

function valueText(value: unknown): string {
	return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}
