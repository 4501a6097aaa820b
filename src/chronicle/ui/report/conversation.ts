// A worker's conversation, readable inside the report: its first and last messages, and the calls between them with their results, folded.
// Reading is bounded: the beginning and the end of pi's session file. Every text is redacted when it is drawn.
import { type FileHandle, open } from "node:fs/promises";
import { sep } from "node:path";
import { contentText } from "../../../pi/index.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";

const headBytes = 64 * 1024;
const tailBytes = 192 * 1024;
const firstTurns = 3;
const lastTurns = 8;
const textLength = 1500;
const callLength = 300;
const resultLength = 1200;
const maxCalls = 12;

export interface Conversation {
	readonly turns: readonly Turn[];
	/** Turns between the first and the last ones that are not shown; `unknown`: the file is too long to count them. */
	readonly hidden: number | "unknown";
}

interface Turn {
	readonly who: "task" | "worker";
	readonly text: string;
	readonly calls: readonly Call[];
}

interface Call {
	readonly words: string;
	readonly result: string;
	readonly failed: boolean;
}

/** Reads the conversation in pi's session file at `path`, without the path of the project; `undefined` if there is nothing to read. */
export async function readConversation(path: string, project: string): Promise<Conversation | undefined> {
	const read = await readEndsOf(path);
	return read && { ...read, turns: read.turns.map((turn) => withoutPath(turn, project)) };
}

/** The turn with paths relative to the project: a report may be given to others. */
function withoutPath({ who, text, calls }: Turn, project: string): Turn {
	const plain = (words: string): string => words.replaceAll(`${project}${sep}`, "").replaceAll(project, ".");
	return {
		who,
		text: plain(text),
		calls: calls.map((call) => ({ ...call, words: plain(call.words), result: plain(call.result) })),
	};
}

async function readEndsOf(path: string): Promise<Conversation | undefined> {
	const parts = await readEnds(path).catch((): undefined => undefined);
	if (parts === undefined) return undefined;
	const [head, tail] = parts;
	const first = turnsOf(head);
	if (tail === undefined) {
		if (first.length === 0) return undefined;
		if (first.length <= firstTurns + lastTurns) return { turns: first, hidden: 0 };
		return {
			turns: [...first.slice(0, firstTurns), ...first.slice(-lastTurns)],
			hidden: first.length - firstTurns - lastTurns,
		};
	}
	// The first line of the end is torn.
	const last = turnsOf(tail.slice(1));
	return { turns: [...first.slice(0, firstTurns), ...last.slice(-lastTurns)], hidden: "unknown" };
}

async function readEnds(path: string): Promise<readonly [head: string[], tail: string[] | undefined]> {
	const file = await open(path, "r");
	try {
		const { size } = await file.stat();
		const isShort = size <= headBytes + tailBytes;
		const head = await readPart(file, 0, isShort ? size : headBytes);
		return [head, isShort ? undefined : await readPart(file, size - tailBytes, tailBytes)];
	} finally {
		await file.close();
	}
}

async function readPart(file: FileHandle, position: number, length: number): Promise<string[]> {
	const bytes = Buffer.alloc(length);
	const { bytesRead } = await file.read(bytes, 0, length, position);
	return bytes.toString("utf8", 0, bytesRead).split("\n");
}

type Data = Readonly<Record<string, unknown>>;

function turnsOf(records: readonly string[]): Turn[] {
	const messages = records.flatMap(messageOf);
	const results = new Map(
		messages.filter(({ role }) => role === "toolResult").map((message) => [String(message.toolCallId), message]),
	);
	return messages.flatMap(({ role, content }): Turn[] => {
		const text = contentText(content).trim();
		if (role === "user") return text === "" ? [] : [{ who: "task", text, calls: [] }];
		if (role !== "assistant") return [];
		const parts: readonly Data[] = Array.isArray(content) ? content : [];
		const calls = parts
			.filter(({ type }) => type === "toolCall")
			.map((part) => callOf(part, results.get(String(part.id))));
		return text === "" && calls.length === 0 ? [] : [{ who: "worker", text, calls }];
	});
}

function messageOf(record: string): Data[] {
	try {
		const entry = JSON.parse(record) as { readonly type?: unknown; readonly message?: unknown } | null;
		return entry?.type === "message" && typeof entry.message === "object" && entry.message !== null
			? [entry.message as Data]
			: [];
	} catch {
		return [];
	}
}

function callOf({ name, arguments: given }: Data, result: Data | undefined): Call {
	const args = Object.values((typeof given === "object" && given !== null ? given : {}) as Data);
	const words = args.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");
	return {
		words: `${String(name)} ${words}`.replaceAll(/\s+/g, " "),
		result: result === undefined ? "" : contentText(result.content).trim(),
		failed: result?.isError === true,
	};
}

/** The conversation, folded under its title. */
export function drawConversation(html: Html, title: string, { turns, hidden }: Conversation): Markup {
	const items = turns.map((turn, index) => {
		const gap = index === firstTurns && hidden !== 0 ? drawGap(html, hidden) : undefined;
		return html`${gap}<li class="${turn.who}"><b>${turn.who === "task" ? "To the worker" : "The worker"}</b> ${turn.text === "" ? undefined : html`<div class="said" dir="auto">${html.cut(turn.text, textLength)}</div>`}${drawCalls(html, turn.calls)}</li>`;
	});
	return html`<details class="talk"><summary>${title}</summary><ol>${items}</ol></details>`;
}

function drawGap(html: Html, hidden: Conversation["hidden"]): Markup {
	const words =
		hidden === "unknown" ? "messages in between" : `${hidden} more ${hidden === 1 ? "message" : "messages"}`;
	return html`<li class="dim">… ${words} in the session file …</li>`;
}

function drawCalls(html: Html, calls: readonly Call[]): HtmlContent {
	const shown = calls.slice(0, maxCalls).map(({ words, result, failed }) => {
		const head = html`<code dir="auto">${html.cut(words, callLength)}</code>${failed ? html` <span class="bad">✗</span>` : undefined}`;
		return result === ""
			? html`<div class="call">${head}</div>`
			: html`<details class="call"><summary>${head}</summary><div class="said" dir="auto">${html.cut(result, resultLength)}</div></details>`;
	});
	const more = calls.length - shown.length;
	return [shown, more > 0 ? html`<div class="dim">… ${more} more calls</div>` : undefined];
}
