// The notebook of a session branch: named pages and a topic, folded from custom entries. Pure. The branch is the only source, so moving in
// the tree changes the notebook. Nothing is truncated silently: an oversized page is refused.
import { printable, withoutControls } from "../../pi/index.ts";

/** Custom entry types. Pages keep the type and shape that earlier notebooks wrote into existing sessions. */
export const entryTypes = {
	page: "notebook-entry",
	/** `{ name }`: the page is deleted. */
	removed: "notebook:removed",
	topic: "notebook:topic",
	mode: "notebook:mode",
} as const;

interface PageEntry {
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
	/** Whether the model has the tools; `undefined`: not set on this branch, the settings decide. */
	readonly on: boolean | undefined;
	readonly topic: Topic | undefined;
	readonly epoch: number | undefined;
	/** Newest content by name, sorted by name; safe to display. */
	readonly pages: ReadonlyMap<string, string>;
}

export const limits = { bytes: 50 * 1024, lines: 2000, nameLength: 80, topicLength: 80, previewLength: 80 } as const;

/** Folds custom entries, newest first, into the notebook. Entries that do not parse are ignored. */
export function foldNotebook(
	newestFirst: Iterable<{ readonly customType: string; readonly data?: unknown }>,
): Notebook {
	let on: boolean | undefined;
	let topic: Topic | null | undefined;
	const pages = new PageFold();
	for (const { customType, data } of newestFirst) {
		const fields = typeof data === "object" && data !== null ? (data as NotebookFields) : {};
		switch (customType) {
			case entryTypes.mode:
				on ??= typeof fields.on === "boolean" ? fields.on : undefined;
				break;
			case entryTypes.topic:
				if (topic === undefined) topic = readTopic(fields);
				break;
			case entryTypes.removed:
				pages.remove(fields);
				break;
			case entryTypes.page:
				pages.add(fields);
		}
	}
	return { on, topic: topic ?? undefined, epoch: pages.epoch, pages: pages.newest() };
}

type NotebookFields = Readonly<Record<string, unknown>>;

/** Collects pages, newest first. A page or its removal hides all older pages of that name. */
class PageFold {
	epoch: number | undefined;
	private readonly found = new Map<string, PageEntry>();
	private readonly removed = new Set<string>();

	add(fields: NotebookFields): void {
		const page = readPage(fields);
		if (page === undefined) return;
		this.epoch = Math.max(this.epoch ?? page.epoch, page.epoch);
		if (!this.found.has(page.name) && !this.removed.has(page.name)) this.found.set(page.name, page);
	}

	remove({ name }: NotebookFields): void {
		if (typeof name === "string" && !this.found.has(pageName(name))) this.removed.add(pageName(name));
	}

	newest(): ReadonlyMap<string, string> {
		const pages = [...this.found.values()].filter(({ epoch }) => epoch === this.epoch);
		pages.sort((a, b) => (a.name < b.name ? -1 : 1));
		return new Map(pages.map(({ name, content }) => [name, withoutControls(content)]));
	}
}

/** `null`: the topic was cleared. */
function readTopic({ name, source }: NotebookFields): Topic | null | undefined {
	if (name === null) return null;
	if (typeof name !== "string" || name === "" || (source !== "human" && source !== "agent")) return undefined;
	return { name, source };
}

function readPage({ version, epoch, name, content }: NotebookFields): PageEntry | undefined {
	if (version !== 1 || typeof epoch !== "number" || typeof name !== "string" || typeof content !== "string")
		return undefined;
	return { version, epoch, name: pageName(name), content };
}

/** Normalizes a page name: accents in one form, no surrounding white space. */
export function pageName(name: string): string {
	return name.trim().normalize("NFC");
}

/** Checks a page before it is written; a refusal says how to fix it. */
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

/** Lines as an editor counts them: a final line break starts no new line. */
function lineCount(content: string): number {
	const breaks = content.split("\n").length;
	return content.endsWith("\n") ? breaks - 1 : breaks;
}

/** Searches all pages, ignoring case. Returns at most `max` lines in the form `page:line: text`. */
export function searchPages({ pages }: Notebook, words: string, max: number): { lines: string[]; more: number } {
	const wanted = words.normalize("NFC").toLowerCase();
	const has = (text: string) => text.normalize("NFC").toLowerCase().includes(wanted);
	const found = [...pages].flatMap(([name, content]) => [
		...(has(name) ? [name] : []),
		...content
			.split("\n")
			.flatMap((line, index) => (has(line) ? [`${name}:${index + 1}: ${cutEntry(line.trim())}`] : [])),
	]);
	return { lines: found.slice(0, max), more: Math.max(0, found.length - max) };
}

/** Normalizes a topic: lower-case words joined by `-`; `undefined` if nothing is left. */
export function normalizeTopic(text: string): string | undefined {
	const name = text
		.normalize("NFKC")
		.toLowerCase()
		.replace(/[^\p{Letter}\p{Number}]+/gu, "-")
		.replace(/^-+|-+$/g, "");
	const cut = [...name].slice(0, limits.topicLength).join("").replace(/-+$/, "");
	return cut === "" ? undefined : cut;
}

/** One line per page: its name and the start of its first non-empty line. */
export function indexLines({ pages }: Notebook): string[] {
	return [...pages].map(([name, content]) => indexLine(name, content));
}

/** The index line of one page. */
export function indexLine(name: string, content: string): string {
	const first = content.split("\n").find((line) => line.trim() !== "") ?? "";
	return `- ${name}: ${cutEntry(first.trim())}`;
}

function cutEntry(text: string): string {
	const characters = [...text];
	if (characters.length <= limits.previewLength) return text;
	return `${characters.slice(0, limits.previewLength - 1).join("")}…`;
}
