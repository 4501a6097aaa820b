// A worker's conversation as it lies on disk (pi's session file): made ready for a process, and read for what the ledger must know.
// Source of the format: pi's docs/session-format.md. C1 only one process has the file open, and it is ours: this runs before that starts
// or after it has ended; C2 a torn last line is cut before pi appends to it; C3 lines that are no JSON are passed over, as pi does.
import {
	closeSync,
	existsSync,
	fsyncSync,
	ftruncateSync,
	openSync,
	readSync,
	renameSync,
	statSync,
	writeSync,
} from "node:fs";
import { splitRecords } from "../../../process/index.ts";
import { addSpend, NO_SPEND, type Spend } from "../../core/index.ts";
import { MOVE_ENTRY, TRANSITION_TOOL } from "./extension/index.ts";
import { spendOf } from "./usage.ts";

export interface SessionContents {
	/** Everything that was used in it, over all its processes. */
	readonly spend: Spend;
	/** Messages of the model and the person. */
	readonly messages: number;
	/** Calls of the last message that have no result. */
	readonly open: readonly { readonly call: string; readonly tool: string; readonly args: unknown }[];
	/** A move that the model asked for, whose calls have all ended, and that nobody answered. */
	readonly unanswered: { readonly call: string; readonly target: string; readonly summary: string } | undefined;
	/** Folder that pi would work in. */
	readonly cwd: string | undefined;
	/** The last line had no end and was cut off. */
	readonly torn: boolean;
}

export type SessionRead =
	| { readonly kind: "read"; readonly conversation: SessionContents }
	/** Nothing is there, or nothing was said in it yet. */
	| { readonly kind: "absent" }
	| { readonly kind: "broken"; readonly detail: string };

const BLOCK = 256 * 1024;

/** Makes an empty file that only the person can read; pi begins its session in it and writes every entry at once. */
export function createSessionFile(path: string): void {
	closeSync(openSync(path, "wx", 0o600));
}

/** Reads a conversation, cutting off a torn last line. */
export function readSessionFile(path: string): SessionRead {
	if (!existsSync(path)) return { kind: "absent" };
	const fold = openFold();
	let torn = false;
	try {
		const file = openSync(path, "r+");
		try {
			let end = 0;
			let position = 0;
			const splitter = splitRecords({
				wants: () => true,
				record: (text) => fold.line(text),
				// A line above the cap holds images; its usage is lost to the sum, not to pi.
				oversized: () => {},
			});
			const block = Buffer.allocUnsafe(BLOCK);
			for (;;) {
				const read = readSync(file, block, 0, BLOCK, position);
				if (read === 0) break;
				const lf = block.subarray(0, read).lastIndexOf(0x0a);
				if (lf !== -1) end = position + lf + 1;
				splitter.push(Buffer.from(block.subarray(0, read)));
				position += read;
			}
			if (end < position) {
				torn = true;
				ftruncateSync(file, end);
				fsyncSync(file);
			}
		} finally {
			closeSync(file);
		}
	} catch (error) {
		return { kind: "broken", detail: error instanceof Error ? error.message : String(error) };
	}
	if (fold.lines === 0) return { kind: "absent" };
	if (!fold.isSession) return { kind: "broken", detail: "It does not begin as a session of pi." };
	const conversation = fold.conversation(torn);
	return conversation.messages === 0 ? { kind: "absent" } : { kind: "read", conversation };
}

/** Makes pi continue the conversation in `cwd`: it works in the folder that the first line names, and a project may have moved. */
export function relocateSession(path: string, cwd: string): void {
	const size = statSync(path).size;
	const file = openSync(path, "r");
	const moved = `${path}.moved`;
	try {
		const head = Buffer.alloc(Math.min(size, 64 * 1024));
		readSync(file, head, 0, head.length, 0);
		const end = head.indexOf(0x0a);
		const header: unknown = JSON.parse(head.subarray(0, end).toString("utf8"));
		if (typeof header !== "object" || header === null) return;
		const out = openSync(moved, "w", 0o600);
		try {
			writeSync(out, `${JSON.stringify({ ...header, cwd })}\n`);
			const block = Buffer.allocUnsafe(BLOCK);
			for (let at = end + 1; at < size; ) {
				const read = readSync(file, block, 0, BLOCK, at);
				if (read === 0) break;
				writeSync(out, block, 0, read);
				at += read;
			}
			fsyncSync(out);
		} finally {
			closeSync(out);
		}
	} finally {
		closeSync(file);
	}
	renameSync(moved, path);
}

interface Entry {
	readonly type?: unknown;
	readonly cwd?: unknown;
	readonly usage?: unknown;
	readonly customType?: unknown;
	readonly data?: unknown;
	readonly message?: {
		readonly role?: unknown;
		readonly content?: unknown;
		readonly usage?: unknown;
		readonly toolCallId?: unknown;
		readonly isError?: unknown;
	};
}

function openFold() {
	let spend = NO_SPEND;
	let messages = 0;
	let lines = 0;
	let isSession = false;
	let cwd: string | undefined;
	let open = new Map<string, { call: string; tool: string; args: unknown }>();
	let asked: SessionContents["unanswered"];
	let moves = new Map<string, { target: string; summary: string }>();

	const spoken = (): void => {
		open = new Map();
		moves = new Map();
		asked = undefined;
	};
	const message = ({ role, content, usage, toolCallId, isError }: NonNullable<Entry["message"]>): void => {
		spend = addSpend(spend, spendOf(usage));
		if (role === "user" || role === "assistant") messages += 1;
		if (role === "toolResult" && typeof toolCallId === "string") {
			open.delete(toolCallId);
			const move = moves.get(toolCallId);
			if (move && isError !== true) asked ??= { call: toolCallId, ...move };
		} else if (role === "user") spoken();
		else if (role === "assistant" && Array.isArray(content) && content.length > 0) {
			spoken();
			for (const part of content as Readonly<Record<string, unknown>>[]) {
				if (part.type !== "toolCall" || typeof part.id !== "string" || typeof part.name !== "string") continue;
				open.set(part.id, { call: part.id, tool: part.name, args: part.arguments });
				if (part.name === TRANSITION_TOOL) moves.set(part.id, moveOf(part.arguments));
			}
		}
	};

	return {
		get lines() {
			return lines;
		},
		get isSession() {
			return isSession;
		},
		line(text: string): void {
			let entry: Entry;
			try {
				entry = JSON.parse(text);
			} catch {
				return;
			}
			if (typeof entry !== "object" || entry === null) return;
			lines += 1;
			switch (entry.type) {
				case "session":
					if (lines === 1) isSession = true;
					if (typeof entry.cwd === "string") cwd = entry.cwd;
					return;
				case "message":
					if (entry.message) message(entry.message);
					return;
				case "custom_message":
					spoken();
					return;
				case "custom":
					if (entry.customType === MOVE_ENTRY) asked = undefined;
					return;
				default:
					spend = addSpend(spend, spendOf(entry.usage));
			}
		},
		conversation: (torn: boolean): SessionContents => ({
			spend,
			messages,
			open: [...open.values()],
			unanswered: open.size === 0 ? asked : undefined,
			cwd,
			torn,
		}),
	};
}

function moveOf(args: unknown): { target: string; summary: string } {
	const { target_state: target, summary } = (args ?? {}) as { target_state?: unknown; summary?: unknown };
	return { target: String(target ?? "").trim(), summary: String(summary ?? "") };
}
