// A worker's conversation on disk, pi's session file: relocates it for a process, and reads data that the ledger needs.
// Source of the format: pi's docs/session-format.md. Only the worker's process has the file open: this code runs before that process starts or
// after it has ended; a torn last line is cut before pi appends to it; lines that are not JSON are ignored, as in pi.
import { open } from "node:fs/promises";
import { anyObject, parseUntrusted } from "@pi-chronicle/core/definition";
import { addSpend, NO_SPEND, type Spend } from "@pi-chronicle/core/machine";
import { readLines, replaceFile } from "../../disk/index.ts";
import { RECORD_CAP } from "../../process/index.ts";
import { type AskedMove, MOVE_ENTRY, type MoveEntry, TRANSITION_TOOL } from "./extension/index.ts";
import { spendOf, spendOfAnswer } from "./usage.ts";

interface OpenCall {
	readonly call: string;
	readonly tool: string;
	readonly args: unknown;
}

interface RequestedMove extends AskedMove {
	readonly call: string;
}

export interface SessionContents {
	/** Total usage, over all its processes. */
	readonly spend: Spend;
	/** Messages of the model and the user. */
	readonly messages: number;
	/** Calls of the last message without a result. */
	readonly open: readonly OpenCall[];
	/** A move that the last message requested, all other calls of which have ended, and that the supervisor has not answered. */
	readonly unanswered: RequestedMove | undefined;
	/** Folder that pi would work in. */
	readonly cwd: string | undefined;
}

export type SessionRead =
	| { readonly kind: "read"; readonly contents: SessionContents }
	/** No file, or no message in it yet. */
	| { readonly kind: "absent" }
	| { readonly kind: "broken"; readonly detail: string };

/** Reads a session file and cuts a torn last line. */
export async function readSessionFile(path: string): Promise<SessionRead> {
	const fold = emptyFold();
	try {
		let size = 0;
		let complete = 0;
		for await (const { lines, end } of readLines(path)) {
			size = end;
			for (const { bytes, at } of lines) {
				complete = at + bytes.length + 1;
				// A longer line contains images; its usage is missing from this sum, but not from pi's.
				if (bytes.length <= RECORD_CAP) addLine(fold, bytes.toString("utf8"));
			}
		}
		if (complete < size) await truncate(path, complete);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		return code === "ENOENT" || code === "ENOTDIR" ? { kind: "absent" } : { kind: "broken", detail: message };
	}
	if (fold.lines === 0) return { kind: "absent" };
	if (!fold.isSession) return { kind: "broken", detail: "It is not a pi session file." };
	if (fold.messages === 0) return { kind: "absent" };
	const { spend, messages, open: calls, cwd } = fold;
	return {
		kind: "read",
		contents: { spend, messages, open: [...calls.values()], unanswered: unansweredOf(fold), cwd },
	};
}

function unansweredOf({ open: calls, requested, ended }: Fold): RequestedMove | undefined {
	return requested ?? (calls.size === 0 ? ended : undefined);
}

async function truncate(path: string, size: number): Promise<void> {
	const file = await open(path, "r+");
	try {
		await file.truncate(size);
		await file.sync();
	} finally {
		await file.close();
	}
}

const headBytes = 64 * 1024;

/** Makes pi continue the session in `cwd`: pi works in the folder of the first line, and a project may have been moved. */
export async function relocateSession(path: string, cwd: string): Promise<void> {
	const source = await open(path, "r");
	try {
		const { buffer, bytesRead } = await source.read(Buffer.alloc(headBytes), 0, headBytes, 0);
		const end = buffer.subarray(0, bytesRead).indexOf(10);
		const header: unknown = JSON.parse(buffer.subarray(0, end).toString("utf8"));
		if (!anyObject(header)) return;
		await replaceFile(path, async (draft) => {
			await draft.writeFile(`${JSON.stringify({ ...header, cwd })}\n`);
			for await (const chunk of source.createReadStream({ start: end + 1 })) await draft.writeFile(chunk);
		});
	} finally {
		await source.close();
	}
}

interface SessionEntry {
	readonly type?: unknown;
	readonly cwd?: unknown;
	readonly usage?: unknown;
	readonly customType?: unknown;
	readonly data?: unknown;
	readonly message?: SessionMessage;
}

interface SessionMessage {
	readonly role?: unknown;
	readonly content?: unknown;
	readonly usage?: unknown;
	readonly stopReason?: unknown;
	readonly toolCallId?: unknown;
	readonly isError?: unknown;
	readonly details?: unknown;
}

interface Fold {
	lines: number;
	isSession: boolean;
	messages: number;
	spend: Spend;
	cwd: string | undefined;
	/** By call id: calls of the last message without a result. */
	readonly open: Map<string, OpenCall>;
	/** By call id: the moves among the calls of the last message. */
	readonly asked: Map<string, RequestedMove>;
	/** The one that the supervisor was asked for, until its call has a result. */
	requested: RequestedMove | undefined;
	/** In sessions of earlier versions: the one whose call has ended, until the supervisor has answered. */
	ended: RequestedMove | undefined;
}

function emptyFold(): Fold {
	return {
		lines: 0,
		isSession: false,
		messages: 0,
		spend: NO_SPEND,
		cwd: undefined,
		open: new Map(),
		asked: new Map(),
		requested: undefined,
		ended: undefined,
	};
}

function addLine(fold: Fold, line: string): void {
	const entry: SessionEntry | undefined = parseUntrusted(line, anyObject);
	if (!entry) return;
	fold.lines += 1;
	switch (entry.type) {
		case "session":
			if (fold.lines === 1) fold.isSession = true;
			if (typeof entry.cwd === "string") fold.cwd = entry.cwd;
			return;
		case "message":
			if (entry.message) addMessage(fold, entry.message);
			return;
		case "custom_message":
			forgetCalls(fold);
			return;
		case "custom":
			if (entry.customType === MOVE_ENTRY) addMoveEntry(fold, entry.data);
			return;
		default:
			fold.spend = addSpend(fold.spend, spendOf(entry.usage));
	}
}

function addMoveEntry(fold: Fold, data: unknown): void {
	const { call, reply } = (anyObject(data) ? data : {}) as Partial<MoveEntry>;
	fold.ended = undefined;
	fold.requested = reply === "asked" ? fold.asked.get(String(call)) : undefined;
}

function addMessage(fold: Fold, message: SessionMessage): void {
	const { role, content, usage, toolCallId, isError, details } = message;
	fold.spend = addSpend(fold.spend, role === "assistant" ? spendOfAnswer(message) : spendOf(usage));
	if (role === "user" || role === "assistant") fold.messages += 1;
	if (role === "toolResult" && typeof toolCallId === "string") {
		fold.open.delete(toolCallId);
		if (fold.requested?.call === toolCallId) fold.requested = undefined;
		else if (isError !== true && !anyObject(details)) fold.ended ??= fold.asked.get(toolCallId);
	} else if (role === "user") forgetCalls(fold);
	else if (role === "assistant" && Array.isArray(content) && content.length > 0) {
		forgetCalls(fold);
		for (const part of content) addCall(fold, part);
	}
}

function addCall({ open, asked }: Fold, part: Readonly<Record<string, unknown>>): void {
	const { type, id, name, arguments: args } = part;
	if (type !== "toolCall" || typeof id !== "string" || typeof name !== "string") return;
	open.set(id, { call: id, tool: name, args });
	if (name !== TRANSITION_TOOL) return;
	const { target_state: target, summary, data } = (args ?? {}) as Readonly<Record<string, unknown>>;
	asked.set(id, { call: id, target: String(target ?? "").trim(), summary: String(summary ?? ""), data });
}

function forgetCalls(fold: Fold): void {
	fold.open.clear();
	fold.asked.clear();
	fold.requested = undefined;
	fold.ended = undefined;
}
