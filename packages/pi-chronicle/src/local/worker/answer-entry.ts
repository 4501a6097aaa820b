// Puts the user's answer into the conversation of a worker whose process is gone: as the result of the call that asked. Runs before the next
// process opens the session file. Source of the format: pi's docs/session-format.md.
// Nothing is rewritten: the result is appended, on a branch that leaves out what pi recorded for the aborted call; an answer that is
// already there is not added again; every other call of the message has a result, too.
import { randomBytes } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { isRecord, isText, parseUntrusted, propertiesOf } from "@pi-chronicle/core/definition";
import { readLines } from "../../disk/index.ts";
import { ASK_TOOL } from "./extension/index.ts";

export type AnswerPlace =
	| { readonly kind: "added" }
	/** It was there. `last`: the model has not replied to it. */
	| { readonly kind: "there"; readonly last: boolean }
	/** The conversation does not contain the call. */
	| { readonly kind: "no call" };

interface EntryCall {
	readonly id: string;
	readonly name: string;
}

interface SessionLine {
	readonly id: string;
	readonly role: string | undefined;
	/** Of a result. */
	readonly call: string | undefined;
	readonly isError: boolean;
	/** Of a message of the model. */
	readonly calls: readonly EntryCall[];
}

const notRun =
	"Not run: your process was stopped while the question before this call waited for the user. Call it again if you still need it.";

/** Makes `text` the result of `call` in the session file `path`. Throws disk errors. */
export async function addAnswer(path: string, call: string, text: string): Promise<AnswerPlace> {
	const entries = await readSessionEntries(path);
	const at = entries.findLastIndex(({ calls }) => calls.some(({ id }) => id === call));
	const asking = entries[at];
	if (!asking) return { kind: "no call" };
	const after = entries.slice(at + 1);
	const own = after.findIndex((entry) => entry.call === call);
	const isAnswered = after.some((entry) => entry.call === call && !entry.isError);
	if (isAnswered) return { kind: "there", last: !after.some(({ role }) => role === "assistant") };
	const kept = own === -1 ? after : after.slice(0, own);
	const missing = asking.calls.filter(({ id }) => !kept.some((entry) => entry.call === id));
	await appendFile(path, answeredLines(missing, (kept.at(-1) ?? asking).id, call, text), { flush: true });
	return { kind: "added" };
}

/** A line for each call without a result; `parent`: the entry before them. */
function answeredLines(calls: readonly EntryCall[], parent: string, answered: string, text: string): string {
	const now = new Date();
	let parentId = parent;
	return calls
		.map(({ id: toolCallId, name: toolName }) => {
			const id = randomBytes(4).toString("hex");
			const isError = toolCallId !== answered;
			const content = [{ type: "text", text: isError ? notRun : text }];
			const message = { role: "toolResult", toolCallId, toolName, content, isError, timestamp: now.getTime() };
			const line = JSON.stringify({ type: "message", id, parentId, timestamp: now.toISOString(), message });
			parentId = id;
			return `${line}\n`;
		})
		.join("");
}

async function readSessionEntries(path: string): Promise<readonly SessionLine[]> {
	const entries: SessionLine[] = [];
	for await (const { lines } of readLines(path))
		for (const { bytes } of lines) {
			const entry = readSessionEntry(bytes.toString("utf8"));
			if (entry) entries.push(entry);
		}
	return entries;
}

/** One line; `undefined` if it is not an entry of the tree. */
function readSessionEntry(line: string): SessionLine | undefined {
	const { id, message, type } = parseUntrusted(line, isRecord) ?? {};
	if (!isText(id) || id === "" || type === "session") return undefined;
	const { role, toolCallId, isError, content } = propertiesOf(message);
	return {
		id,
		role: isText(role) ? role : undefined,
		call: role === "toolResult" && isText(toolCallId) ? toolCallId : undefined,
		isError: isError === true,
		calls: role === "assistant" && Array.isArray(content) ? content.flatMap(readSessionCall) : [],
	};
}

function readSessionCall(part: {
	readonly type?: unknown;
	readonly id?: unknown;
	readonly name?: unknown;
}): readonly EntryCall[] {
	const { type, id, name } = part;
	return type === "toolCall" && isText(id) ? [{ id, name: isText(name) ? name : ASK_TOOL }] : [];
}
