// What a worker was told and got stays on disk for the transcript and the report, but not its secrets: once nobody will go on with a
// conversation, it is written anew without them. While a worker may still go on it must stay as it is.
// C1 the file is replaced whole, private to the person, or left alone; C2 a line that cannot be read stays a line.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A larger conversation is left as it is: it is read whole to be rewritten. */
const mostBytes = 256 * 1024 * 1024;

/**
 * Rewrites every conversation of the run in `folder` except that of `keep`. `done` holds the paths that need no second look; those rewritten
 * are added. A file that cannot be read or replaced now is tried again the next time.
 */
export function retireConversations(
	folder: string,
	keep: string | undefined,
	redact: (text: string) => string,
	done: Set<string>,
): void {
	for (const name of conversationsIn(folder)) {
		const path = join(folder, name);
		if (done.has(path) || (keep !== undefined && name.startsWith(`${keep}.`))) continue;
		try {
			rewrite(path, redact);
			done.add(path);
		} catch {
			// A full disk, or a file that is gone: the conversation is as private as before.
		}
	}
}

function conversationsIn(folder: string): string[] {
	try {
		return readdirSync(folder).filter((name) => /^\d+\.\d+\.(?:.*\.)?jsonl$/.test(name));
	} catch {
		return [];
	}
}

function rewrite(path: string, redact: (text: string) => string): void {
	const bytes = readFileSync(path);
	if (bytes.length > mostBytes) return;
	const text = bytes.toString("utf8");
	const clean = text
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

/** Redaction keeps the shape of a text, so a record stays one; where it does not, the record is dropped rather than its secret kept. */
function redactLine(line: string, redact: (text: string) => string): string {
	const clean = redact(line);
	if (clean === line) return line;
	try {
		JSON.parse(clean);
		return clean;
	} catch {
		return JSON.stringify({ type: "custom", customType: "withheld" });
	}
}
