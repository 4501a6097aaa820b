// Snapshots in the database: each is recorded with the events that name it, and deleted once it is on the git remote. Those of a dead host
// that it did not push stay here.
import type { Sql } from "./database.ts";
import type { RecordedSnapshot } from "./run-snapshot.ts";
import { isObjectName, parseNote } from "./untrusted.ts";

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
