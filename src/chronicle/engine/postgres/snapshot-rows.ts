// Snapshots in the database: each is recorded with the events that name it, and deleted once it is on the git remote. Those of a dead host
// that it did not push stay here.
import type { Sql } from "./database.ts";
import type { RecordedSnapshot } from "./run-snapshot.ts";
import { isObjectName, parseNote } from "./untrusted.ts";

/** A row: `seq` is the last event that was recorded with it. */
export interface StoredSnapshot extends RecordedSnapshot {
	readonly seq: number;
}

/**
 * A part of the statement that appends events: inserts the snapshots of `values` for the run in `held`. `first`: number of its first
 * parameter; `seq`: that of the last event.
 */
export function insertSnapshotsText(first: number, seq: number): string {
	return `kept AS (
	INSERT INTO chronicle.snapshot (run, seq, n, tree, parent, base, note, pack)
	SELECT held.id, $${seq}, s.n, s.tree, s.parent, s.base, s.note, substring($${first}::bytea FROM s.start FOR s.length)
	FROM held, jsonb_to_recordset($${first + 1}::jsonb) AS s(n int, tree text, parent text, base text, note text, start int, length int)
)`;
}

/** The values of {@link insertSnapshotsText}. */
export function snapshotValues(snapshots: readonly RecordedSnapshot[]): readonly unknown[] {
	// Postgres counts bytes from 1.
	let start = 1;
	const listed = snapshots.map(({ tree, parent = null, base, note, pack }, n) => {
		const row = { n, tree, parent, base, note, start, length: pack.length };
		start += pack.length;
		return row;
	});
	return [Buffer.concat(snapshots.map(({ pack }) => pack)), JSON.stringify(listed)];
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
