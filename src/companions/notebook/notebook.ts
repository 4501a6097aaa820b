// The notebook of a session branch: named pages and a topic, folded from custom entries. Pure.
// N1 the branch is the only truth: moving in the tree moves the notebook; N2 nothing is cut silently: what is too large is refused.
import { printable, withoutControls } from "../../pi/index.ts";

/** Custom entry types. Pages keep the type and shape that notebooks of this kind already have in people's sessions. */
export const entryTypes = {
	page: "notebook-entry",
	/** `{ name }`: the page is gone from here on. */
	removed: "notebook:removed",
	topic: "notebook:topic",
	mode: "notebook:mode",
} as const;

export interface PageEntry {
	readonly version: 1;
	/** Milliseconds since the epoch of the notebook's first page; pages of an older notebook on the branch do not count. */
	readonly epoch: number;
	readonly name: string;
	readonly content: string;
}

export interface Topic {
	/** Lower-case words joined by `-`, at most 80 characters. */
	readonly name: string;
	readonly source: "human" | "agent";
}

export interface Notebook {
	/** Whether the model has the tools; `undefined`: nobody said so on this branch, the settings decide. */
	readonly on: boolean | undefined;
	readonly topic: Topic | undefined;
	readonly epoch: number | undefined;
	/** Newest content by name, sorted by name; safe to show. */
	readonly pages: ReadonlyMap<string, string>;
}

export const limits = { bytes: 50 * 1024, lines: 2000, nameLength: 80, topicLength: 80, previewLength: 80 } as const;

/** Folds custom entries, newest first, into the notebook. Entries that do not parse are passed over. */
export function foldNotebook(
	newestFirst: Iterable<{ readonly customType: string; readonly data?: unknown }>,
): Notebook {
	let on: boolean | undefined;
	let topic: Topic | null | undefined;
	let epoch: number | undefined;
	const found = new Map<string, PageEntry>();
	const removed = new Set<string>();
	for (const { customType, data } of newestFirst) {
		if (customType === entryTypes.mode && on === undefined) on = readSwitch(data);
		if (customType === entryTypes.topic && topic === undefined) topic = readTopic(data);
		if (customType === entryTypes.removed) {
			const name = readRemoved(data);
			if (name !== undefined && !found.has(name)) removed.add(name);
		}
		if (customType === entryTypes.page) {
			const page = readPage(data);
			if (page === undefined) continue;
			epoch = Math.max(epoch ?? page.epoch, page.epoch);
			if (!found.has(page.name) && !removed.has(page.name)) found.set(page.name, page);
		}
	}
	const pages = [...found.values()]
		.filter((page) => page.epoch === epoch)
		.sort((a, b) => (a.name < b.name ? -1 : 1))
		.map((page) => [page.name, withoutControls(page.content)] as const);
	return { on, topic: topic ?? undefined, epoch, pages: new Map(pages) };
}

function readSwitch(data: unknown): boolean | undefined {
	const on = typeof data === "object" && data !== null ? (data as { on?: unknown }).on : undefined;
	return typeof on === "boolean" ? on : undefined;
}

function readTopic(data: unknown): Topic | null | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const { name, source } = data as { name?: unknown; source?: unknown };
	if (name === null) return null;
	if (typeof name !== "string" || name === "" || (source !== "human" && source !== "agent")) return undefined;
	return { name, source };
}

function readRemoved(data: unknown): string | undefined {
	const name = typeof data === "object" && data !== null ? (data as { name?: unknown }).name : undefined;
	return typeof name === "string" ? pageName(name) : undefined;
}

function readPage(data: unknown): PageEntry | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const { version, epoch, name, content } = data as Partial<Record<keyof PageEntry, unknown>>;
	if (version !== 1 || typeof epoch !== "number" || typeof name !== "string" || typeof content !== "string")
		return undefined;
	return { version, epoch, name: pageName(name), content };
}

/** The name by which a page is kept and found: however an accent was typed, and whatever white space surrounds it. */
export function pageName(name: string): string {
	return name.trim().normalize("NFC");
}

/** Checks a page before it is written; the refusal says what to do, so that nothing is lost unseen. */
export function checkPage(
	name: string,
	content: string,
): { kind: "ok"; name: string } | { kind: "refused"; reason: string } {
	const trimmed = pageName(name);
	const refused = (reason: string) => ({ kind: "refused", reason }) as const;
	if (trimmed === "" || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(trimmed) || printable(trimmed) !== trimmed)
		return refused("A page needs a name on one line, without control characters.");
	if ([...trimmed].length > limits.nameLength)
		return refused(`A page's name has at most ${limits.nameLength} characters.`);
	if (content.trim() === "") return refused(`The page "${trimmed}" would be empty; write its content.`);
	const bytes = Buffer.byteLength(content);
	const lines = lineCount(content);
	if (bytes > limits.bytes || lines > limits.lines) {
		const size = bytes > limits.bytes ? `${Math.ceil(bytes / 1024)} KB` : `${lines} lines`;
		return refused(
			`The page "${trimmed}" has ${size}; a page holds at most ${limits.bytes / 1024} KB and ${limits.lines} lines. ` +
				`Nothing was written: split it into pages such as "${trimmed}-1" and "${trimmed}-2", or keep only what matters.`,
		);
	}
	return { kind: "ok", name: trimmed };
}

/** Lines as an editor counts them: a line break at the end begins no further one. */
function lineCount(content: string): number {
	const breaks = content.split("\n").length;
	return content.endsWith("\n") ? breaks - 1 : breaks;
}

/** The lines of all pages that have `words`, whatever the case; at most `most`, as `page:line: text`. */
export function searchPages({ pages }: Notebook, words: string, most: number): { lines: string[]; more: number } {
	const wanted = words.normalize("NFC").toLowerCase();
	const has = (text: string) => text.normalize("NFC").toLowerCase().includes(wanted);
	const found = [...pages].flatMap(([name, content]) => [
		...(has(name) ? [name] : []),
		...content
			.split("\n")
			.flatMap((line, index) => (has(line) ? [`${name}:${index + 1}: ${shortened(line.trim())}`] : [])),
	]);
	return { lines: found.slice(0, most), more: Math.max(0, found.length - most) };
}

/** Brings a topic into its form: lower-case words joined by `-`. `undefined` when nothing is left. */
export function normaliseTopic(text: string): string | undefined {
	const name = text
		.normalize("NFKC")
		.toLowerCase()
		.replace(/[^\p{Letter}\p{Number}]+/gu, "-")
		.replace(/^-+|-+$/g, "");
	const cut = [...name].slice(0, limits.topicLength).join("").replace(/-+$/, "");
	return cut === "" ? undefined : cut;
}

/** One line a page: its name and the beginning of its first line that says something. */
export function indexLines({ pages }: Notebook): string[] {
	return [...pages].map(([name, content]) => indexLine(name, content));
}

/** The line of one page. */
export function indexLine(name: string, content: string): string {
	const first = content.split("\n").find((line) => line.trim() !== "") ?? "";
	return `- ${name}: ${shortened(first.trim())}`;
}

function shortened(text: string): string {
	const characters = [...text];
	if (characters.length <= limits.previewLength) return text;
	return `${characters.slice(0, limits.previewLength - 1).join("")}…`;
}
