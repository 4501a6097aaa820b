// A snapshot of a run's files for other hosts: the tree, the commit that the working folder was at, and the contents that the store omits. A small one is
// recorded in the database with the events that name it, until it is on the git remote; those that a dead host did not push stay there.
import type { ConditionChanged, EventBody, LedgerEvent, Run, StoreFailure } from "../../core/index.ts";
import { explainGit, type GitPlace, gitAt } from "../workspace/index.ts";
import type { Sql } from "./database.ts";
import { gitFetch } from "./remote.ts";
import { isObjectName, parseNote, type SnapshotNote } from "./untrusted.ts";

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

/** A row: `seq` is the last event that was recorded with it. */
export interface StoredSnapshot extends RecordedSnapshot {
	readonly seq: number;
}

/** The snapshots as `chronicle.append` takes them: a list, and the packs one after another. */
export function snapshotValues(snapshots: readonly RecordedSnapshot[]): readonly unknown[] {
	// Postgres counts bytes from 1.
	let start = 1;
	const listed = snapshots.map(({ tree, parent = null, base, note, pack }, n) => {
		const row = { n, tree, parent, base, note, start, length: pack.length };
		start += pack.length;
		return row;
	});
	return [JSON.stringify(listed), Buffer.concat(snapshots.map(({ pack }) => pack))];
}

/** The snapshots of a run that are not on the remote, as far as is known; the oldest first. */
export async function readSnapshots(sql: Sql, run: string): Promise<readonly StoredSnapshot[]> {
	const { rows } = await sql.query<Omit<StoredSnapshot, "parent"> & { readonly parent: string | null }>(
		"SELECT seq, tree, parent, base, note, pack FROM chronicle.snapshot WHERE run = $1 ORDER BY seq, n",
		[run],
	);
	return rows.map((row) => {
		const named = [row.tree, row.base, ...(row.parent === null ? [] : [row.parent])];
		if (!named.every(isObjectName) || !parseNote(row.note))
			throw new Error(`A recorded snapshot of ${run} cannot be read.`);
		return { ...row, parent: row.parent ?? undefined };
	});
}

/** Deletes the snapshots of a run that were recorded up to event `seq`: they are on the remote. */
export async function deleteSnapshots(sql: Sql, run: string, seq: number): Promise<void> {
	await sql.query("DELETE FROM chronicle.snapshot WHERE run = $1 AND seq <= $2", [run, seq]);
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
			throw new Error(`The snapshot before the recorded one could not be fetched: ${explainGit(fetched)}`);
	}
	for (const { pack } of snapshots) {
		const unpacked = await gitAt(place, ["unpack-objects", "-q"], { input: pack });
		if (unpacked.kind !== "done") throw new Error(`A recorded snapshot could not be unpacked: ${explainGit(unpacked)}`);
	}
}

/** A snapshot by its tree and the commit that it is on. */
export type SnapshotName = Pick<RunSnapshot, "tree" | "parent">;

/** What a segment adds to a held ledger. */
export interface SegmentHooks {
	/**
	 * `head`: the snapshot that holds the files of what is appended next; `undefined`: as before. `staged`: snapshots that are recorded with
	 * it, because they are not on the remote yet.
	 */
	files(): { readonly head: SnapshotName | undefined; readonly staged: readonly RecordedSnapshot[] };
	/** Called before the events are recorded, with the run after them; a failure is the append's. */
	beforeAppend(bodies: readonly EventBody[], next: Run): Promise<StoreFailure | undefined>;
	/** Changes of what hinders the run that its supervision has not recorded: they are recorded when the run is settled. */
	conditions(): readonly ConditionChanged[];
	/** Called once the events are recorded, with the snapshots that were recorded with them. */
	afterAppend(events: readonly LedgerEvent[], now: Run, staged: readonly RecordedSnapshot[]): void;
}
