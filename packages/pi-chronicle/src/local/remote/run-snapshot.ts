// A snapshot of a run's files for other hosts: the tree, the commit that the working folder was at, and the contents that the store omits. A small one is
// recorded with the events that name it, as a pack, until it is on the git remote.
import { addFileModes, addPlaceholders, explainGit, type GitPlace, gitAt } from "../workspace/index.ts";
import { gitFetch, remoteError } from "./git-remote.ts";
import type { SnapshotNote } from "./untrusted.ts";

/** What a run starts with. */
export interface RunStart {
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

export function noteText(run: string, note: SnapshotNote): string {
	return `Files of the run ${run}\n\n${JSON.stringify(note)}\n`;
}

/** Tells the store in `folder` what git does not keep of another host's snapshot: before it uses the snapshot. `place` can read its objects. */
export async function addNote(place: GitPlace, folder: string, note: SnapshotNote | undefined): Promise<void> {
	await addPlaceholders(place, folder, note?.placeholders ?? []);
	await addFileModes(folder, note?.modes ?? []);
}

/** Whether two snapshots are the same files on the same commit. */
export function isSameSnapshot(
	one: Pick<RunSnapshot, "tree" | "parent">,
	other: Pick<RunSnapshot, "tree" | "parent">,
): boolean {
	return one.tree === other.tree && one.parent === other.parent;
}

/** A snapshot by its tree and the commit that it is on. */
export type SnapshotName = Pick<RunSnapshot, "tree" | "parent">;

/** One that was recorded up to event `seq`. */
export interface StoredSnapshot extends RecordedSnapshot {
	readonly seq: number;
}

/** The snapshots of a run that are recorded, because they may not be on the remote. */
export interface SnapshotRecord {
	/** The oldest first. */
	recordedSnapshots(): Promise<readonly StoredSnapshot[]>;
	/** Deletes those that were recorded up to event `seq`: they are on the remote. */
	deleteSnapshots(seq: number): Promise<void>;
}

/** Adds the objects of recorded snapshots to a repository, with those that they build on; `owner`: the run whose refs hold them. Throws a sentence. */
export async function unpackSnapshots(
	place: GitPlace,
	{ remote, owner }: { readonly remote: string; readonly owner: string },
	snapshots: readonly RecordedSnapshot[],
): Promise<void> {
	const trees = new Set(snapshots.map(({ tree }) => tree));
	const bases = [...new Set(snapshots.map(({ base }) => base))].filter((base) => !trees.has(base));
	if (bases.length > 0) {
		const refs = bases.map((base) => treeRef(owner, base));
		const fetched = await gitFetch(place, remote, refs);
		if (fetched.kind !== "done")
			throw remoteError("The snapshot before the recorded one could not be fetched", fetched);
	}
	for (const { pack } of snapshots) {
		const unpacked = await gitAt(place, ["unpack-objects", "-q"], { input: pack });
		if (unpacked.kind !== "done") throw new Error(`A recorded snapshot could not be unpacked: ${explainGit(unpacked)}`);
	}
}
