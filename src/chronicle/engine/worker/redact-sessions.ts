// What a worker was told and got stays on disk for the transcript and the report, but not its secrets: once nobody will go on with a
// conversation, it is written anew without them. While a worker may still go on it must stay as it is.
// C1 the file is replaced whole, private to the person, or left alone; C2 a line that cannot be read stays a line.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSecretName, type Redact, redacted } from "../../../safety/index.ts";

/** A larger conversation is left as it is: it is read whole to be rewritten. */
const mostBytes = 256 * 1024 * 1024;

/**
 * Rewrites every conversation of the run in `folder` except that of `keep`. `done` holds the paths that need no second look; those rewritten
 * are added. A file that cannot be read or replaced now is tried again the next time.
 */
export function redactSessions(folder: string, keep: string | undefined, redact: Redact, done: Set<string>): void {
	for (const name of filesOf(folder)) {
		const path = join(folder, name);
		// What a crash left beside the conversation that goes on is no part of it.
		const goesOn = keep !== undefined && name.startsWith(`${keep}.`) && !name.endsWith(".moved");
		if (done.has(path) || goesOn) continue;
		try {
			rewrite(path, redact);
			done.add(path);
		} catch {
			// A full disk, or a file that is gone: the conversation is as private as before.
		}
	}
}

/** Conversations, what a crash left of one, and what workers were started with. */
function filesOf(folder: string): string[] {
	try {
		return readdirSync(folder).filter((name) =>
			/^\d+\.\d+\.(?:(?:.*\.)?jsonl(?:\.moved)?|brief\.json|persona\.md)$/.test(name),
		);
	} catch {
		return [];
	}
}

function rewrite(path: string, redact: Redact): void {
	const bytes = readFileSync(path);
	if (bytes.length > mostBytes) return;
	const text = bytes.toString("utf8");
	const clean = path.endsWith(".md")
		? redact(text)
		: text
				.split("\n")
				.map((line) => redactLine(line, redact))
				.join("\n");
	if (clean === text) return;
	const fresh = `${path}.clean`;
	try {
		writeFileSync(fresh, clean, { mode: 0o600 });
		renameSync(fresh, path);
	} catch (error) {
		rmSync(fresh, { force: true });
		throw error;
	}
}

/** A record without its secrets; a line that is no record is redacted as text. */
function redactLine(line: string, redact: Redact): string {
	let record: unknown;
	try {
		record = JSON.parse(line);
	} catch {
		return redact(line);
	}
	const clean = JSON.stringify(redactRecord(record, redact));
	return clean === JSON.stringify(record) ? line : clean;
}

/** What links records to each other, and says what they are. */
const links = new Set([
	...["id", "parentId", "toolCallId", "responseId", "type", "role", "customType", "timestamp"],
	...["provider", "model", "modelId", "api", "mimeType", "name", "toolName", "cwd"],
]);

function redactRecord(value: unknown, redact: Redact): unknown {
	if (typeof value === "string") return redact(value);
	if (Array.isArray(value)) return value.map((item) => redactRecord(item, redact));
	if (typeof value !== "object" || value === null) return value;
	const isImage = (value as { type?: unknown }).type === "image";
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => {
			if (links.has(key) || (isImage && key === "data")) return [key, inner];
			return [key, typeof inner === "string" && isSecretName(key) ? redacted : redactRecord(inner, redact)];
		}),
	);
}
