// Task lists in Markdown. Pure.
// With a check box anywhere, only items with one are tasks, and the other lines below a task are its details; in a list of Spec Kit (`T012`,
// `[P]`) a task needs all before it, except that tasks with `[P]` side by side do not need each other, and a heading ends such a group; in any
// other list an indented item needs the one that it is indented under, and a numbered one the one before it; "(depends on T012, T013)" adds.
import type { ListedTask, TaskListRead } from "./listed-task.ts";

interface Item {
	readonly indent: number;
	/** With a check box: whether it is checked; absent: it has none. */
	readonly isDone?: boolean;
	readonly isNumbered: boolean;
	readonly id: string | undefined;
	readonly isParallel: boolean;
	readonly title: string;
	readonly needs: readonly string[];
	/** Headings before it. */
	readonly section: number;
	readonly details: string[];
}

const itemLine = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(?:\[([ xX~-])\]\s*)?(.*\S)\s*$/;
const specKitId = /^\**(T\d+[a-z]?)\b\**[:.]?\s*/;
const numberId = /^\**(\d+(?:\.\d+)*)[.)]?\**\s+/;
const parallelMark = /\[P\]\s*/;
const dependsOn = /\((?:depends on|dependencies|needs|requires|after|blocked by):?\s+([^)]*)\)/gi;

/** Reads the tasks of a Markdown file. */
export function readMarkdownTasks(text: string): TaskListRead {
	const all = readTaskItems(text);
	const boxed = all.filter(({ isDone }) => isDone !== undefined);
	const items = boxed.length > 0 ? boxed : all;
	if (items.length === 0) return { problem: "has no list of tasks" };
	const isSpecKit = boxed.some(({ id, isParallel }) => isParallel || id?.startsWith("T"));
	const named = items.map((item, at) => ({ ...item, id: item.id ?? `#${at + 1}` }));
	const needs = isSpecKit ? needsInPhases(named) : needsInOutline(named);
	const done = new Set(named.filter(({ isDone }) => isDone).map(({ id }) => id));
	const left = named.flatMap((item, at) => (done.has(item.id) ? [] : [{ item, over: needs[at] ?? [] }]));
	const tasks = left.map(({ item, over }): ListedTask => {
		const { id, title, details } = item;
		const needed = [...new Set([...over, ...item.needs])].filter((one) => !done.has(one) && one !== id);
		return { id, title, ...(details.length > 0 ? { details: details.join("\n") } : {}), needs: needed };
	});
	return { tasks };
}

function readTaskItems(text: string): readonly Item[] {
	const items: Item[] = [];
	const hasBoxes = /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX~-]\]/m.test(text);
	let section = 0;
	for (const line of proseLines(text)) {
		if (/^#{1,6}\s/.test(line)) section += 1;
		const item = itemOf(line, section);
		const last = items.at(-1);
		if (item && (!hasBoxes || item.isDone !== undefined)) items.push(item);
		else if (last?.section === section && /^\s+\S/.test(line)) last.details.push(line.trim());
	}
	return items;
}

/** The lines without comments and code blocks. */
function proseLines(text: string): readonly string[] {
	let isCode = false;
	return text
		.replace(/<!--[\s\S]*?-->/g, "")
		.split(/\r?\n/)
		.filter((line) => {
			const isFence = /^\s*(```|~~~)/.test(line);
			if (isFence) isCode = !isCode;
			return !isFence && !isCode;
		});
}

function itemOf(line: string, section: number): Item | undefined {
	const [, space = "", number, box, written] = itemLine.exec(line) ?? [];
	if (written === undefined) return undefined;
	const id = (specKitId.exec(written) ?? numberId.exec(written))?.[1];
	const named = written.replace(specKitId, "").replace(numberId, "");
	const isParallel = parallelMark.test(named);
	return {
		indent: space.replace(/\t/g, "    ").length,
		...(box === undefined ? {} : { isDone: box !== " " }),
		isNumbered: number !== undefined || (id !== undefined && !id.startsWith("T")),
		id: id ?? number,
		isParallel,
		title: named.replace(parallelMark, "").replace(/\*\*/g, "").trim(),
		needs: [...written.matchAll(dependsOn)].flatMap(([, ids = ""]) => idsIn(ids)),
		section,
		details: [],
	};
}

/** `T004-T007, 12` → their ids. */
function idsIn(text: string): readonly string[] {
	return [...text.matchAll(/(T?)(\d+(?:\.\d+)*[a-z]?)(?:\s*[-–]\s*T?(\d+))?/g)].flatMap(([, t = "", from = "", to]) => {
		if (to === undefined || !/^\d+$/.test(from)) return [`${t}${from}`];
		const count = Math.min(100, Math.max(0, Number(to) - Number(from)) + 1);
		return Array.from({ length: count }, (_, n) => `${t}${String(Number(from) + n).padStart(from.length, "0")}`);
	});
}

type NamedItem = Item & { readonly id: string };

/** A group of tasks that may be done side by side needs the group before it. */
function needsInPhases(items: readonly NamedItem[]): readonly (readonly string[])[] {
	let before: readonly string[] = [];
	let group: { ids: string[]; section: number; isParallel: boolean } = { ids: [], section: -1, isParallel: false };
	return items.map(({ id, isParallel, section }) => {
		if (!isParallel || !group.isParallel || group.section !== section) {
			if (group.ids.length > 0) before = group.ids;
			group = { ids: [], section, isParallel };
		}
		group.ids.push(id);
		return before;
	});
}

/** An item needs the one that it is indented under, and a numbered one also the one before it in its list. */
function needsInOutline(items: readonly NamedItem[]): readonly (readonly string[])[] {
	const open: { indent: number; id: string; section: number }[] = [];
	return items.map(({ indent, id, isNumbered, section }) => {
		while ((open.at(-1)?.indent ?? -1) > indent) open.pop();
		const last = open.at(-1);
		const sibling = last?.indent === indent ? open.pop() : undefined;
		const over = open.at(-1);
		open.push({ indent, id, section });
		return [...(over ? [over.id] : []), ...(isNumbered && sibling?.section === section ? [sibling.id] : [])];
	});
}
