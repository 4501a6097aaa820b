// A worker's conversation, read from pi's session file: messages, and calls with their results. Reading is bounded to the beginning and the end of
// the file, so that a long conversation opens at once; a torn line is skipped. Paths below the worker's folder are relative to it.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isRecord, parseUntrusted, propertiesOf } from "@pi-chronicle/core/definition";
import { PROMPT_ENTRY } from "../../local/index.ts";
import { contentText } from "../../pi/index.ts";
import { isRefusalText } from "../../safety/index.ts";

export interface ReadMessages {
	/** From the beginning of the file; all messages of a short one. */
	readonly first: readonly ConversationMessage[];
	/** From its end; empty for a short one. */
	readonly last: readonly ConversationMessage[];
	/** Whether something between them, or before `last`, was not read. */
	readonly isCut: boolean;
	/** What every request began with; absent: it was not recorded, or not read. */
	readonly prompt?: SentPrompt;
}

/** The system prompt and the tools, as a worker's requests had them. */
export interface SentPrompt {
	readonly system: string;
	readonly tools: readonly { readonly name: string; readonly description: string }[];
}

export interface ConversationMessage {
	/** `note`: a message of an extension. */
	readonly who: "user" | "worker" | "note";
	readonly parts: readonly Part[];
	/** Of a message of the model: its tokens and its cost in USD. */
	readonly usage?: MessageUsage;
}

export interface MessageUsage {
	readonly input: number;
	readonly output: number;
	readonly cached: number;
	readonly costUsd: number;
}

type Part =
	| { readonly kind: "text"; readonly text: string }
	| ({ readonly kind: "call" } & ConversationCall)
	/** The result of a call that was not read. */
	| ({ readonly kind: "result" } & ConversationResult);

export interface ConversationCall {
	readonly tool: string;
	/** Its arguments on one line, the first without its name. */
	readonly words: string;
	/** Lines that a `write` or an `edit` would add and remove. */
	readonly written: readonly { readonly sign: "+" | "-"; readonly lines: readonly string[] }[];
	readonly result: ConversationResult | undefined;
}

export interface ConversationResult {
	readonly tool: string;
	readonly text: string;
	readonly isError: boolean;
	/** Why the guard refused the call. */
	readonly refusal?: string;
}

/** Reads at most `head` bytes from the beginning and `tail` bytes from the end of the session file at `path`. Throws if it cannot be read. */
export function readMessages(
	path: string,
	{ head, tail }: { readonly head: number; readonly tail: number },
): ReadMessages {
	const file = openSync(path, "r");
	try {
		const { size } = fstatSync(file);
		const isShort = size <= head + tail;
		const start = readLinesAt(file, 0, isShort ? size : Math.max(head, 4096));
		const read = openReader(recordOf(start[0] ?? "").cwd);
		const prompt = promptIn(start);
		if (isShort) return { first: read(start), last: [], isCut: false, prompt };
		// The first line of the end is torn.
		const end = read(readLinesAt(file, size - tail, tail).slice(1));
		return { first: head === 0 ? [] : read(start), last: end, isCut: true, prompt };
	} finally {
		closeSync(file);
	}
}

function readLinesAt(file: number, position: number, length: number): string[] {
	const bytes = Buffer.alloc(length);
	return bytes.toString("utf8", 0, readSync(file, bytes, 0, length, position)).split("\n");
}

type Data = Readonly<Record<string, unknown>>;

function recordOf(line: string): Data {
	return parseUntrusted(line, isRecord) ?? {};
}

function promptIn(lines: readonly string[]): SentPrompt | undefined {
	const found = lines.findLast((line) => line.includes(`"${PROMPT_ENTRY}"`));
	const { customType, data } = recordOf(found ?? "");
	const { system, tools } = propertiesOf(data);
	if (customType !== PROMPT_ENTRY || typeof system !== "string" || !Array.isArray(tools)) return undefined;
	const named = tools
		.map(propertiesOf)
		.map(({ name, description }) => ({ name: String(name), description: String(description ?? "") }));
	return { system, tools: named };
}

function messageUsage({ usage }: Data): Pick<ConversationMessage, "usage"> {
	const { input, output, cacheRead, cost } = propertiesOf(usage);
	const number = (value: unknown): number => (typeof value === "number" ? value : 0);
	if (typeof input !== "number") return {};
	return {
		usage: { input, output: number(output), cached: number(cacheRead), costUsd: number(propertiesOf(cost).total) },
	};
}

/** Reads messages from lines of a session whose worker worked in `cwd`. */
function openReader(cwd: unknown): (lines: readonly string[]) => ConversationMessage[] {
	const folder = typeof cwd === "string" ? cwd : "";
	const relative = (text: string): string => (folder === "" ? text : text.replaceAll(`${folder}/`, ""));
	const resultOf = ({ toolName, content, isError }: Data): ConversationResult => {
		const text = relative(contentText(content).trimEnd());
		const [, refusal = ""] = text.split("\n");
		const isRefused = isError === true && isRefusalText(text);
		return { tool: String(toolName), text, isError: isError === true, ...(isRefused ? { refusal } : {}) };
	};
	return (lines) => {
		const records = lines.map(recordOf);
		const messages = records.flatMap(({ type, message }) => (type === "message" ? [propertiesOf(message)] : []));
		const results = new Map(
			messages.filter(({ role }) => role === "toolResult").map((data) => [String(data.toolCallId), resultOf(data)]),
		);
		const called = new Set(messages.flatMap(partsOf).map(({ id }) => String(id)));
		const partOf = ({ type, text, id, name, arguments: given }: Data): Part[] => {
			const result = results.get(String(id));
			if (type === "toolCall")
				return [{ kind: "call", tool: String(name), ...argumentsOf(propertiesOf(given), relative), result }];
			return type === "text" && String(text).trim() !== "" ? [{ kind: "text", text: String(text).trim() }] : [];
		};
		const messageOf = (data: Data): ConversationMessage[] => {
			if (data.role === "user") return textMessage("user", contentText(data.content));
			// A result belongs to its call, unless the call was not read.
			if (data.role === "toolResult" && !called.has(String(data.toolCallId)))
				return [{ who: "worker", parts: [{ kind: "result", ...resultOf(data) }] }];
			const parts = partsOf(data).flatMap(partOf);
			return parts.length === 0 ? [] : [{ who: "worker", parts, ...messageUsage(data) }];
		};
		return records.flatMap(({ type, content, message }) => {
			if (type === "custom_message") return textMessage("note", contentText(content));
			return type === "message" ? messageOf(propertiesOf(message)) : [];
		});
	};
}

function textMessage(who: ConversationMessage["who"], text: string): ConversationMessage[] {
	return text.trim() === "" ? [] : [{ who, parts: [{ kind: "text", text: text.trim() }] }];
}

function partsOf({ role, content }: Data): readonly Data[] {
	return role === "assistant" && Array.isArray(content) ? content.map(propertiesOf) : [];
}

/** Of a `write` or an `edit`, the file and the lines; of any other tool, the arguments on one line. */
function argumentsOf(given: Data, relative: (text: string) => string): Pick<ConversationCall, "words" | "written"> {
	const { path, content, edits } = given;
	const lines = (sign: "+" | "-", text: unknown) =>
		typeof text === "string" ? [{ sign, lines: text.replace(/\n$/, "").split("\n") }] : [];
	if (typeof path === "string" && typeof content === "string")
		return { words: relative(path), written: lines("+", content) };
	if (typeof path === "string" && Array.isArray(edits)) {
		const written = edits
			.map(propertiesOf)
			.flatMap(({ oldText, newText }) => [...lines("-", oldText), ...lines("+", newText)]);
		return { words: relative(path), written };
	}
	const words = Object.entries(given).map(([key, value], index) => {
		const text = typeof value === "string" ? value : JSON.stringify(value);
		return index === 0 && typeof value === "string" ? text : `${key}=${text}`;
	});
	return { words: relative(words.join(" ")).replaceAll(/\s+/g, " "), written: [] };
}
