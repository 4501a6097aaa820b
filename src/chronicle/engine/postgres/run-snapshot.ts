// A snapshot of a run's files for other hosts: the tree, the commit that the working folder was at, and the contents that the store omits.
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PLACEHOLDER_LIST } from "../workspace/index.ts";

export interface RunSnapshot {
	readonly tree: string;
	/** The commit that the working folder was at; undefined: none. */
	readonly parent: string | undefined;
	/** The message of its commit (see {@link noteText}). */
	readonly note: string;
}

/** A snapshot that is recorded in the database, because it is not on the remote yet. */
export interface RecordedSnapshot extends RunSnapshot {
	/** The snapshot before it, which is on the remote or recorded before it. */
	readonly base: string;
	/** A git pack: the objects that `base` has not. */
	readonly pack: Buffer;
}

/** Content of a snapshot commit's message. */
export interface SnapshotNote {
	/** The folder that the run works in, below the repository's root. */
	readonly folder: string;
	/** Objects that stand for omitted contents, as the store lists them. */
	readonly placeholders: readonly string[];
}

export function noteText(run: string, { folder, placeholders }: SnapshotNote): string {
	return `Files of the run ${run}\n\n${JSON.stringify({ folder, placeholders })}\n`;
}

export function readNote(message: string): SnapshotNote {
	const [, , data = "{}"] = message.split("\n");
	return { folder: "", placeholders: [], ...(JSON.parse(data) as Partial<SnapshotNote>) };
}

/** Whether two snapshots are the same files on the same commit. */
export function isSameSnapshot(
	one: Pick<RunSnapshot, "tree" | "parent">,
	other: Pick<RunSnapshot, "tree" | "parent">,
): boolean {
	return one.tree === other.tree && one.parent === other.parent;
}

/** Tells the store in `folder` which objects of another host's snapshot stand for contents that are not kept: before it uses the snapshot. */
export async function addPlaceholders(folder: string, placeholders: readonly string[]): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const file = join(folder, PLACEHOLDER_LIST);
	const known = new Set((await readFile(file, "utf8").catch(() => "")).split("\n"));
	const added = placeholders.filter((line) => !known.has(line));
	if (added.length > 0) await appendFile(file, added.map((line) => `${line}\n`).join(""), { mode: 0o600 });
}
