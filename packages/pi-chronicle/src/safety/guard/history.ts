// The history of a project's sessions: those of pi, and those of the workers of its chronicles. Read from files, newest first.
// Invariant: a file or line that cannot be read is left out; it never stops the search.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { attempt, folderNames, readLines } from "../../disk/index.ts";
import { type DecisionRecord, decisionEntry, readDecision } from "../policy/index.ts";

/** A tool call that a model made. */
export interface PastCall {
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
	/** ISO time. */
	readonly at: string;
}

/** A recorded decision. */
export interface PastDecision {
	readonly record: DecisionRecord;
	/** ISO time. */
	readonly at: string;
}

/** What one session holds. */
export interface PastSession {
	readonly calls: readonly PastCall[];
	readonly decisions: readonly PastDecision[];
}

const MAX_SESSIONS = 500;

/** The sessions of the project that `ctx` works in, the newest first; `ctx`'s own included. */
export async function* pastSessions(
	ctx: Pick<ExtensionContext, "cwd" | "sessionManager">,
): AsyncGenerator<PastSession> {
	const { sessionManager, cwd } = ctx;
	const own = sessionManager.getSessionFile();
	yield read(sessionManager.getEntries());
	const files = [...historyFiles(sessionManager.getSessionDir()), ...workerFiles(cwd)]
		.filter((file) => file !== own)
		.flatMap((file) => {
			const changed = attempt(() => statSync(file).mtimeMs);
			return changed === undefined ? [] : [{ file, changed }];
		})
		.sort((one, other) => other.changed - one.changed)
		.slice(0, MAX_SESSIONS);
	for (const { file } of files) {
		const entries = await sessionEntries(file, cwd);
		if (entries) yield read(entries);
	}
}

function historyFiles(folder: string): string[] {
	if (folder === "") return [];
	return folderNames(folder)
		.filter((name) => name.endsWith(".jsonl"))
		.map((name) => join(folder, name));
}

/** The conversations of the workers of the project's runs. */
function workerFiles(cwd: string): string[] {
	const runs = join(cwd, ".pi", "chronicle", "sessions");
	return folderNames(runs).flatMap((run) => historyFiles(join(runs, run, "workers")));
}

/** The lines of a file that matter; `undefined`: it is of another project. */
async function sessionEntries(file: string, cwd: string): Promise<unknown[] | undefined> {
	const entries: unknown[] = [];
	const isWorker = file.startsWith(join(cwd, ".pi", "chronicle"));
	try {
		for await (const { lines } of readLines(file))
			for (const { bytes } of lines) {
				const isHeader = bytes.subarray(0, 20).includes('{"type":"session"');
				if (!isHeader && !bytes.includes(decisionEntry) && !bytes.includes('"toolCall"')) continue;
				const entry = attempt(
					() => JSON.parse(bytes.toString()) as { readonly type?: unknown; readonly cwd?: unknown },
				);
				if (entry?.type === "session" && entry.cwd !== cwd && !isWorker) return undefined;
				if (entry !== undefined) entries.push(entry);
			}
	} catch {
		// What was read until then counts.
	}
	return entries;
}

interface ReadEntry {
	readonly type?: unknown;
	readonly timestamp?: unknown;
	readonly customType?: unknown;
	readonly data?: unknown;
	readonly message?: { readonly role?: unknown; readonly content?: unknown };
}

function read(entries: readonly unknown[]): PastSession {
	const calls: PastCall[] = [];
	const decisions: PastDecision[] = [];
	for (const entry of entries) {
		const { type, timestamp, customType, data, message } = (entry ?? {}) as ReadEntry;
		const at = typeof timestamp === "string" ? timestamp : "";
		if (type === "custom" && customType === decisionEntry) {
			const record = readDecision(data);
			if (record) decisions.push({ record, at });
		} else if (type === "message" && message?.role === "assistant" && Array.isArray(message.content))
			calls.push(...message.content.flatMap((part) => pastCalls(part, at)));
	}
	return { calls: calls.reverse(), decisions: decisions.reverse() };
}

function pastCalls(part: unknown, at: string): PastCall[] {
	const { type, name, arguments: input } = (part ?? {}) as Readonly<Record<string, unknown>>;
	if (type !== "toolCall" || typeof name !== "string" || typeof input !== "object" || input === null) return [];
	return [{ tool: name, input: input as PastCall["input"], at }];
}
