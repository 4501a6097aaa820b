// Session files: writing one for pi to open, and reading one that pi wrote. Source of the format: pi's docs/session-format.md (v3).
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Project } from "./project.ts";

/** An entry of a session file. */
export interface StoredEntry {
	type: string;
	id: string;
	parentId: string | null;
	timestamp: string;
	[key: string]: unknown;
}

/** A session being composed. Each method appends one entry behind the current one and returns its id. */
export class SessionDraft {
	readonly id = randomUUID();
	readonly entries: StoredEntry[] = [];
	private readonly project: Project;
	private leaf: string | null = null;
	private clock = Date.UTC(2026, 0, 1);

	constructor(project: Project) {
		this.project = project;
	}

	user(text: string): string {
		return this.message({ role: "user", content: [{ type: "text", text }] });
	}

	/** An answer of the model, with calls of tools as `[id, name, arguments]` when given. */
	assistant(text: string, calls: [id: string, name: string, args: Record<string, unknown>][] = []): string {
		const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
		return this.message({
			role: "assistant",
			content: [
				...(text === "" ? [] : [{ type: "text", text }]),
				...calls.map(([id, name, args]) => ({ type: "toolCall", id, name, arguments: args })),
			],
			api: "openai-completions",
			provider: "scripted",
			model: "one",
			usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost },
			stopReason: calls.length > 0 ? "toolUse" : "stop",
		});
	}

	toolResult(toolCallId: string, toolName: string, text: string, isError = false): string {
		return this.message({ role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], isError });
	}

	/** An extension's entry, which the model never sees. */
	custom(customType: string, data: unknown): string {
		return this.append({ type: "custom", customType, data });
	}

	/** An extension's message, which the model reads as the user's text. */
	customMessage(customType: string, content: string, display = true): string {
		return this.append({ type: "custom_message", customType, content, display });
	}

	/** A compaction that keeps what follows `firstKeptEntryId`, or nothing. */
	compaction(summary: string, firstKeptEntryId?: string): string {
		const id = entryId();
		return this.append({
			type: "compaction",
			id,
			summary,
			firstKeptEntryId: firstKeptEntryId ?? id,
			tokensBefore: 1_000,
		});
	}

	/** Any other entry; `id`, `parentId` and `timestamp` are supplied when missing. */
	append(entry: { type: string } & Record<string, unknown>): string {
		const { type, ...rest } = entry;
		this.clock += 1_000;
		const base = { id: entryId(), parentId: this.leaf, timestamp: new Date(this.clock).toISOString() };
		const stored: StoredEntry = { type, ...base, ...rest };
		this.entries.push(stored);
		this.leaf = stored.id;
		return stored.id;
	}

	/** The next entry will follow `id`, on a new branch; `null` starts another root. */
	branchFrom(id: string | null): void {
		this.leaf = id;
	}

	/** Writes the file, in pi's folder for the project's sessions unless `path` is given, and returns its path. */
	write(path?: string): string {
		const folder = `--${this.project.folder.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
		const file =
			path ?? join(this.project.agentFolder, "sessions", folder, `2026-01-01T00-00-00-000Z_${this.id}.jsonl`);
		const timestamp = new Date(Date.UTC(2026, 0, 1)).toISOString();
		const header = { type: "session", version: 3, id: this.id, timestamp, cwd: this.project.folder };
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, [header, ...this.entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
		return file;
	}

	private message(message: Record<string, unknown>): string {
		return this.append({ type: "message", message: { ...message, timestamp: this.clock } });
	}
}

/** A session file as read from disk. */
export interface StoredSession {
	header: Record<string, unknown>;
	/** All entries, in file order. */
	entries: StoredEntry[];
	/** Entries from the root to `id`, or to the last entry of the file. */
	branch(id?: string): StoredEntry[];
	/** Data of the custom entries of one type, in file order. */
	custom<Data = unknown>(customType: string): Data[];
	/** Bytes of each custom entry of one type as it lies in the file, newline included. */
	customBytes(customType: string): number[];
	/** Texts of the messages of one role, in file order. */
	texts(role: "user" | "assistant" | "toolResult"): string[];
}

/** Reads a session file; throws on a line that is no JSON. */
export function readSession(path: string): StoredSession {
	const lines = readFileSync(path, "utf8")
		.split("\n")
		.filter((line) => line !== "");
	const [header = {}, ...rest] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
	const entries = rest as StoredEntry[];
	const isCustom = (customType: string) => (entry: Record<string, unknown>) =>
		entry.type === "custom" && entry.customType === customType;
	return {
		header,
		entries,
		branch: (id = entries.at(-1)?.id) => {
			const byId = new Map(entries.map((entry) => [entry.id, entry]));
			const path: StoredEntry[] = [];
			for (let at = byId.get(id ?? ""); at; at = byId.get(at.parentId ?? "")) path.unshift(at);
			return path;
		},
		custom: <Data>(customType: string) => entries.filter(isCustom(customType)).map(({ data }) => data as Data),
		customBytes: (customType) =>
			lines
				.filter((_, index) => index > 0 && isCustom(customType)(entries[index - 1] ?? {}))
				.map((line) => Buffer.byteLength(line) + 1),
		texts: (role) =>
			entries
				.map(({ message }) => message as { role?: string; content?: string | { text?: string }[] } | undefined)
				.filter((message) => message?.role === role)
				.map((message) =>
					typeof message?.content === "string"
						? message.content
						: (message?.content ?? []).map(({ text = "" }) => text).join(""),
				),
	};
}

function entryId(): string {
	return randomUUID().slice(0, 8);
}
