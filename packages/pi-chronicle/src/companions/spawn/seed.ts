// The session file that a child starts from: no conversation, only the state shared with its parent (notebook, topic, readonly).
// The format is pi's (documentation, "session-format", version 3).
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A custom entry on the child's branch. */
export interface SeedEntry {
	readonly customType: string;
	readonly data: unknown;
}

/** Writes the session file at `path`. The folder and the file are private to the user. */
export function writeSeed(
	path: string,
	cwd: string,
	parentSession: string | undefined,
	entries: readonly SeedEntry[],
): void {
	const timestamp = new Date().toISOString();
	const header = {
		type: "session",
		version: 3,
		id: crypto.randomUUID(),
		timestamp,
		cwd,
		...(parentSession ? { parentSession } : {}),
	};
	let parentId: string | null = null;
	const lines = entries.map(({ customType, data }, index) => {
		const id = (index + 1).toString(16).padStart(8, "0");
		const line = { type: "custom", id, parentId, timestamp, customType, data };
		parentId = id;
		return line;
	});
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	writeFileSync(path, `${[header, ...lines].map((line) => JSON.stringify(line)).join("\n")}\n`, { mode: 0o600 });
	chmodSync(path, 0o600);
}
