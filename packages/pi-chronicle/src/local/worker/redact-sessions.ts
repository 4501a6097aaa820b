// Removes secrets from workers' session files, which stay on disk for the transcript and the report. A session is rewritten once no worker
// will continue it; until then it must not change.
// A file is replaced as a whole, private to the user, or not at all; an unreadable line stays a line.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFileSync } from "../../disk/index.ts";
import { isSecretName, type Redact, redacted } from "../../safety/index.ts";

/** A larger session is not rewritten, because rewriting reads all of it. */
const maxBytes = 256 * 1024 * 1024;

/** Sessions, the other input files of workers, and their drafts left by a crash. */
const redactable =
	/^\.?\d+\.\d+\.(?:(?:.*\.)?jsonl(?:\.moved)?|(?:standby-\d+\.)?(?:brief\.json|persona\.md))(?:\.\d+\.tmp)?$/;

/**
 * Rewrites every session of the run in `folder` except `keep`. `done` holds the paths that are finished; those rewritten are added. A file that
 * cannot be read or replaced now is retried the next time.
 */
export function redactSessions(folder: string, keep: string | undefined, redact: Redact, done: Set<string>): void {
	for (const name of sessionFiles(folder)) {
		const path = join(folder, name);
		// A draft left by a crash is not part of the session that continues.
		const continues = keep !== undefined && name.startsWith(`${keep}.`) && !name.endsWith(".moved");
		if (done.has(path) || continues) continue;
		try {
			rewrite(path, redact);
			done.add(path);
		} catch {
			// A full disk, or a file that is gone: the session is as private as before.
		}
	}
}

function sessionFiles(folder: string): string[] {
	try {
		return readdirSync(folder).filter((name) => redactable.test(name));
	} catch {
		return [];
	}
}

function rewrite(path: string, redact: Redact): void {
	const bytes = readFileSync(path);
	if (bytes.length > maxBytes) return;
	const text = bytes.toString("utf8");
	const clean = path.endsWith(".md") ? redact(text) : redactSessionText(text, redact);
	if (clean !== text) replaceFileSync(path, clean);
}

/** The text of a session file without its secrets. */
export function redactSessionText(text: string, redact: Redact): string {
	return text
		.split("\n")
		.map((line) => redactLine(line, redact))
		.join("\n");
}

/** A record without its secrets; any other line is redacted as text. */
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

/** Fields that link records to each other or define their type. */
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
