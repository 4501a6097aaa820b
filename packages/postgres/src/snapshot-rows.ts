// Snapshots in the database: each is recorded with the events that name it, and deleted once it is on the git remote. Those of a dead host that it did not
// push stay here.
import type { ConditionChanged, EventBody, LedgerEvent, Run } from "@pi-chronicle/core/machine";
import type { StoreFailure } from "@pi-chronicle/core/ports";
import {
	isObjectName,
	parseNote,
	type RecordedSnapshot,
	type SnapshotName,
	type StoredSnapshot,
} from "pi-chronicle/local";
import type { Sql } from "./database.ts";

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
