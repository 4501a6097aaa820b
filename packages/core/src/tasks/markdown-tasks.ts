// Task lists in Markdown. Pure.
// With a check box anywhere, only items with one are tasks, and the other lines below a task are its details; in a list of Spec Kit (`T012`,
// `[P]`) a task needs all before it, except that tasks with `[P]` side by side do not need each other, and a heading ends such a group; in any
// other list an indented item needs the one that it is indented under, and a numbered one the one before it with all below that. What a task says
// adds: "(depends on T012, T013)", or "Depends on: T012" in a line below it. A task that is done stands in the order for those that it came after.
import type { ListedTask, TaskListRead } from "./listed-task.ts";

interface Item {
	readonly indent: number;
	/** With a check box: whether it is done or cancelled; absent: it has none. */
	readonly isDone?: boolean;
	readonly isNumbered: boolean;
	/** Written in its text. */
	readonly id: string | undefined;
	/** The number of its line in an ordered list. */
	readonly number: string | undefined;
	readonly isParallel: boolean;
	readonly title: string;
	readonly needs: readonly string[];
	/** Headings before it. */
	readonly section: number;
	readonly details: string[];
}

/** A check box. Editors write many signs into one: all but those of `overMarks` leave the task open. */
const box = /\[([xX]|[^\w\]])\](?!\()/u;
const overMarks = "xX✓✔-~";
// Kiro marks an optional task with a star after the box.
const itemLine = new RegExp(String.raw`^(\s*)(?:[-*+]|(\d+)[.)])\s+(?:${box.source}(?:\*(?=\s))?\s*)?(.*\S)\s*$`);
const boxedLine = new RegExp(String.raw`^\s*(?:[-*+]|\d+[.)])\s+${box.source}`, "m");
const specKitId = /^\**(T\d+[a-z]?)\b\**[:.]?\s*/i;
const numberId = /^\**(?:(?:task|step)\s+(\d+(?:\.\d+)*)\**\s*[:.)–-]\**|(\d+(?:\.\d+)*)[.)]?\**(?=\s))\s*/i;
/** The key of an issue; it stays in the title. */
const keyId = /^\**([A-Z]{2,}-\d+)\b/;
const parallelMark = /\[P\]\s*/i;
const dependsOn = /[([](?:depends on|dependencies|needs|requires|after|blocked by):?\s+([^)\]]{0,500})[)\]]/gi;
/** A line below a task, or words in its title, that name what it needs. */
const saysNeeds =
	/^(?:[-*+]\s*)?[*_]*(?:depends on|dependenc(?:y|ies)|needs|requires|blocked by)[*_]*:[*_]*\s*(.*)|\b(?:depends on|blocked by)\s+(.*)/i;

/** Reads the tasks of a Markdown file. */
export function readMarkdownTasks(text: string): TaskListRead {
	const all = readTaskItems(text);
	const boxed = all.filter(({ isDone }) => isDone !== undefined);
	const items = boxed.length > 0 ? boxed : all;
	if (items.length === 0) return { problem: "has no list of tasks" };
	const isSpecKit = boxed.some(({ id = "", isParallel }) => isParallel || specKitId.test(id));
	const numbered = Map.groupBy(items, ({ id, number }) => id ?? number);
	const named = items.map((item, at) => {
		const { id, number } = item;
		return { ...item, id: id ?? (number !== undefined && numbered.get(number)?.length === 1 ? number : `#${at + 1}`) };
	});
	return { items: openTasks(named, isSpecKit ? needsInPhases(named) : needsInOutline(named)) };
}

/** The tasks that are left. `order`: the ids that each item comes after by its place. */
function openTasks(items: readonly NamedItem[], order: readonly (readonly string[])[]): readonly ListedTask[] {
	const known = new Set(items.map(({ id }) => id));
	const done = new Set(items.filter(({ isDone }) => isDone).map(({ id }) => id));
	const standIns = new Map<string, readonly string[]>();
	return items.flatMap(({ id, title, details, needs }, at): ListedTask[] => {
		const before = (order[at] ?? []).flatMap((one) => standIns.get(one) ?? [one]);
		const over = [...new Set(before)].filter((one) => one !== id);
		standIns.set(id, done.has(id) ? over : [id]);
		const said = [title, ...details].flatMap(idsSaid).filter((one) => known.has(one) && one !== id);
		const needed = [...over, ...[...needs, ...said].filter((one) => !done.has(one))];
		return done.has(id) ? [] : [{ id, title, details: details.join("\n"), needs: [...new Set(needed)] }];
	});
}

function readTaskItems(text: string): readonly Item[] {
	const items: Item[] = [];
	const hasBoxes = boxedLine.test(text);
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
	const [, space = "", number, mark, written] = itemLine.exec(line) ?? [];
	if (written === undefined) return undefined;
	const specKit = specKitId.exec(written)?.[1]?.replace(/^t/, "T");
	const [, step, ordinal] = numberId.exec(written) ?? [];
	const id = specKit ?? step ?? ordinal ?? keyId.exec(written)?.[1];
	const named = written.replace(specKitId, "").replace(numberId, "");
	const isParallel = parallelMark.test(named);
	return {
		indent: space.replace(/\t/g, "    ").length,
		...(mark === undefined ? {} : { isDone: overMarks.includes(mark) }),
		isNumbered: number !== undefined || step !== undefined || ordinal !== undefined,
		...{ id, number, isParallel },
		title: named
			.replace(parallelMark, "")
			.replace(/\*\*/g, "")
			.replace(/^[\s:–-]+(?=\S)/, "")
			.trim(),
		needs: [...written.matchAll(dependsOn)].flatMap(([, ids = ""]) => idsIn(ids)),
		section,
		details: [],
	};
}

/** The ids after words such as "Depends on:". */
function idsSaid(line: string): readonly string[] {
	const [, listed, inWords] = saysNeeds.exec(line) ?? [];
	return idsIn(listed ?? inWords ?? "");
}

const idsInText = /\b([A-Z]{2,}-\d+)\b|(T?)(\d+(?:\.\d+)*[a-z]?)(?:\s*(?:[-–]|to|through)\s*T?(\d+))?/gi;

/** `T004-T007, 12` → their ids. */
function idsIn(text: string): readonly string[] {
	return [...text.matchAll(idsInText)].flatMap(([, key, t = "", from = "", to]) => {
		if (key !== undefined) return [key];
		const letter = t.toUpperCase();
		if (to === undefined || !/^\d+$/.test(from)) return [`${letter}${from}`];
		const count = Math.min(100, Math.max(0, Number(to) - Number(from)) + 1);
		return Array.from({ length: count }, (_, n) => `${letter}${String(Number(from) + n).padStart(from.length, "0")}`);
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

/** An item needs the one that it is indented under, and a numbered one also the one before it in its list, with all below that. */
function needsInOutline(items: readonly NamedItem[]): readonly (readonly string[])[] {
	const open: { indent: number; ids: string[]; section: number }[] = [];
	return items.map(({ indent, id, isNumbered, section }) => {
		while ((open.at(-1)?.indent ?? -1) > indent) open.pop();
		const sibling = open.at(-1)?.indent === indent ? open.pop() : undefined;
		const over = open.at(-1)?.ids[0];
		for (const { ids } of open) ids.push(id);
		open.push({ indent, ids: [id], section });
		return [...(over === undefined ? [] : [over]), ...(isNumbered && sibling?.section === section ? sibling.ids : [])];
	});
}
