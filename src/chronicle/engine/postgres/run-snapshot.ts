// A snapshot of a run's files for other hosts: the tree, the commit that the working folder was at, and the contents that the store omits.
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isPlaceholder, PLACEHOLDER_LIST, readBlobs } from "../workspace/index.ts";
import { type GitPlace, gitAt } from "./remote.ts";
import type { SnapshotNote } from "./untrusted.ts";

/** What a run starts with. */
export interface RunStart {
	/** The snapshot, as a tree. */
	readonly head: string;
	/** The commit that the working folder was at; null: none. */
	readonly parent: string | null;
	/** The folder that the run works in, below the repository's root. */
	readonly folder: string;
}

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

/** The ref of a snapshot on the remote. */
export function treeRef(run: string, tree: string): string {
	return `refs/chronicle/${run}/trees/${tree}`;
}

export function noteText(run: string, { folder, placeholders }: SnapshotNote): string {
	return `Files of the run ${run}\n\n${JSON.stringify({ folder, placeholders })}\n`;
}

/** Whether two snapshots are the same files on the same commit. */
export function isSameSnapshot(
	one: Pick<RunSnapshot, "tree" | "parent">,
	other: Pick<RunSnapshot, "tree" | "parent">,
): boolean {
	return one.tree === other.tree && one.parent === other.parent;
}

/** The lines by which the store in `folder` lists its placeholders. */
export async function readPlaceholders(folder: string): Promise<readonly string[]> {
	const list = await readFile(join(folder, PLACEHOLDER_LIST), "utf8").catch(() => "");
	return list.split("\n").filter(Boolean);
}

/**
 * Tells the store in `folder` which objects of another host's snapshot stand for contents that are not kept: before it uses the snapshot. Objects
 * with any other content are not taken for that, whatever `placeholders` says. `place` can read them.
 */
export async function addPlaceholders(place: GitPlace, folder: string, placeholders: readonly string[]): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const known = new Set(await readPlaceholders(folder));
	const added = placeholders.filter((line) => !known.has(line));
	if (added.length === 0) return;
	const git = async (args: readonly string[], more: { readonly input?: Buffer }) => {
		const done = await gitAt(place, args, more);
		return done.kind === "done" ? done : { output: Buffer.alloc(0), code: -1, cut: false, warnings: "" };
	};
	const objects = added.map((line) => line.split(" ", 1)[0] ?? "");
	const contents = await readBlobs({ git }, objects);
	const genuine = added.filter((_, index) => {
		const content = contents.get(objects[index] ?? "");
		return content !== undefined && isPlaceholder(content);
	});
	const text = genuine.map((line) => `${line}\n`).join("");
	if (text !== "") await appendFile(join(folder, PLACEHOLDER_LIST), text, { mode: 0o600 });
}
