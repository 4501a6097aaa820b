// A worker's conversation as lines: messages, and calls with their results below them. Reads at most the last 256 KB of pi's session file, so that a long
// conversation opens immediately; skips a torn last line.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { contentText } from "../../../pi/index.ts";
import { isRefusalText } from "../../../safety/index.ts";
import { dim, type Line, type StyledText } from "../../../tui/index.ts";

const tailBytes = 256 * 1024;
/** Maximum characters shown of a tool's arguments. */
const argumentLength = 500;
/** Maximum lines shown of one tool result, and of a text that a call writes. */
const maxResult = 6;
const maxWritten = 12;

/** The lines of the session file at `path`, oldest first; one sentence if it cannot be read. */
export function readTranscript(path: string | undefined): Line[] {
	if (path === undefined) return [[dim("No conversation yet.")]];
	let text: string;
	let cut = false;
	try {
		const file = openSync(path, "r");
		try {
			const { size } = fstatSync(file);
			const start = Math.max(0, size - tailBytes);
			const bytes = Buffer.alloc(size - start);
			readSync(file, bytes, 0, bytes.length, start);
			text = bytes.toString("utf8");
			cut = start > 0;
		} finally {
			closeSync(file);
		}
	} catch {
		return [[dim("The conversation cannot be read: its session file is missing or locked.")]];
	}
	const records = text.split("\n");
	const entries = (cut ? records.slice(1) : records).flatMap(entryOf);
	const lines = conversationLines(entries, folderOf(path));
	return cut ? [[dim("… earlier entries are in the session file")], ...lines] : lines;
}

interface Entry {
	readonly type?: unknown;
	readonly message?: Readonly<Record<string, unknown>>;
	readonly content?: unknown;
}

function entryOf(record: string): Entry[] {
	try {
		const entry: unknown = JSON.parse(record);
		return typeof entry === "object" && entry !== null ? [entry] : [];
	} catch {
		return [];
	}
}

/** The folder in which the worker worked, from the first record of its session file: paths below it are shown relative to it. */
function folderOf(path: string): string {
	const bytes = Buffer.alloc(4096);
	const file = openSync(path, "r");
	try {
		const read = readSync(file, bytes, 0, bytes.length, 0);
		const [first = ""] = bytes.toString("utf8", 0, read).split("\n", 1);
		const { cwd } = (entryOf(first)[0] ?? {}) as { readonly cwd?: unknown };
		return typeof cwd === "string" && cwd !== "" ? cwd : "";
	} finally {
		closeSync(file);
	}
}

function conversationLines(entries: readonly Entry[], folder: string): Line[] {
	const results = new Map<string, Readonly<Record<string, unknown>>>();
	const called = new Set<string>();
	for (const { message } of entries) {
		if (message?.role === "toolResult") results.set(String(message.toolCallId), message);
		for (const part of partsOf(message)) if (part.type === "toolCall") called.add(String(part.id));
	}
	/** Refusals that have been shown. */
	const refused = new Set<string>();
	const resultOf = (message: Readonly<Record<string, unknown>> | undefined): Line[] =>
		message === undefined ? [] : resultLines(message, refused, folder);
	return entries.flatMap(({ type, message, content }): Line[] => {
		if (type === "custom_message") return messageLines("·", contentText(content), "dim");
		if (type !== "message" || message === undefined) return [];
		if (message.role === "user") return messageLines("»", contentText(message.content), "plain");
		// A result is shown below its call, unless the call is before what is read.
		if (message.role === "toolResult") return called.has(String(message.toolCallId)) ? [] : resultOf(message);
		return partsOf(message).flatMap((part) =>
			part.type === "text"
				? messageLines("●", String(part.text ?? ""), "plain")
				: part.type === "toolCall"
					? [...callLines(part, folder), ...resultOf(results.get(String(part.id)))]
					: [],
		);
	});
}

interface Part {
	readonly type?: unknown;
	readonly text?: unknown;
	readonly id?: unknown;
	readonly name?: unknown;
	readonly arguments?: unknown;
}

function partsOf(message: Readonly<Record<string, unknown>> | undefined): readonly Part[] {
	return message?.role === "assistant" && Array.isArray(message.content) ? message.content : [];
}

/** A call. What a `write` or an `edit` would write is shown as lines of text. */
function callLines({ name, arguments: given }: Part, folder: string): Line[] {
	const args = (typeof given === "object" && given !== null ? given : {}) as Readonly<Record<string, unknown>>;
	const head = (words: string): Line => [
		{ text: `▸ ${String(name)} `, tone: "accent" },
		dim(relativeTo(folder, words)),
	];
	const { path, content, edits } = args;
	if (typeof path === "string" && typeof content === "string")
		return [head(path), ...writtenLines(content, "+", "success")];
	if (typeof path === "string" && Array.isArray(edits))
		return [
			head(path),
			...edits.flatMap(({ oldText, newText }: { oldText?: unknown; newText?: unknown }) => [
				...(typeof oldText === "string" ? writtenLines(oldText, "-", "error") : []),
				...(typeof newText === "string" ? writtenLines(newText, "+", "success") : []),
			]),
		];
	return [head(argumentWords(args))];
}

function writtenLines(text: string, sign: string, tone: StyledText["tone"]): Line[] {
	const all = text.replace(/\n$/, "").split("\n");
	const lines = all.slice(0, maxWritten).map((line): Line => [{ text: `  ${sign} ${line}`, tone }]);
	const more = all.length - lines.length;
	return more > 0 ? [...lines, [dim(`  … ${more} more ${more === 1 ? "line" : "lines"}`)]] : lines;
}

function relativeTo(folder: string, text: string): string {
	return folder === "" ? text : text.replaceAll(`${folder}/`, "");
}

function messageLines(mark: string, text: string, tone: StyledText["tone"]): Line[] {
	return text
		.trim()
		.split("\n")
		.map((line, index) => [index === 0 ? { text: `${mark} `, tone: "accent" } : dim("  "), { text: line, tone }]);
}

/** The arguments of a tool: the first without its name, the others with theirs. */
function argumentWords(given: Readonly<Record<string, unknown>>): string {
	const entries = Object.entries(given);
	const words = entries.map(([key, value], index) => {
		const text = typeof value === "string" ? value : JSON.stringify(value);
		return index === 0 && typeof value === "string" ? text : `${key}=${text}`;
	});
	return words.join(" ").slice(0, argumentLength);
}

/** A result. A refusal is one line: its reason, and not again where it was shown before. */
function resultLines(
	{ toolName, content, isError }: Readonly<Record<string, unknown>>,
	refused: Set<string>,
	folder: string,
): Line[] {
	const text = relativeTo(folder, contentText(content).trimEnd());
	if (isError === true && isRefusalText(text)) {
		const [, reason = ""] = text.split("\n");
		const again = refused.has(reason);
		refused.add(reason);
		return [[{ text: `  ⊘ refused${again ? " again, as above" : `: ${reason}`}`, tone: "warning" }]];
	}
	const all = text.split("\n");
	const lines = all
		.slice(0, maxResult)
		.map((line): Line => [isError === true ? { text: `  ${line}`, tone: "error" } : dim(`  ${line}`)]);
	const more = all.length - lines.length;
	return more > 0
		? [...lines, [dim(`  … ${more} more ${more === 1 ? "line" : "lines"} of ${String(toolName)}`)]]
		: lines;
}
