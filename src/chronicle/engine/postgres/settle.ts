// What becomes of a job when its segment has ended, or its host is dead.
import type { Database, Sql } from "./database.ts";
import { completeJob, failJob, type JobAttempt, type QueuedRun, sendJob } from "./jobs.ts";

/** A locked run whose job is to be settled. */
export interface SettledRow extends QueuedRun {
	readonly job: string | null;
	readonly visit: number;
	/** The visit that it was in when the job was taken. */
	readonly claimed_visit: number;
	/** Somebody has posted to it. */
	readonly waiting: boolean;
}

export type Settlement = { readonly kind: "parked" | "again" } | { readonly kind: "failed"; readonly reason: string };

/** Settles an attempt at the run's job; gives the job that counts from now on. */
export async function settleJob(
	database: Database,
	tx: Sql,
	row: SettledRow & { readonly attempt: JobAttempt },
	how: Settlement,
): Promise<string | null> {
	// A run that makes progress is not poisoned: its attempt count restarts.
	if (how.kind === "failed" && row.visit === row.claimed_visit) {
		await failJob(database, tx, row.attempt, how.reason);
		return row.job;
	}
	await completeJob(database, tx, row.attempt);
	return how.kind !== "parked" || row.waiting ? sendJob(database, tx, row) : null;
}

const reapable = `
SELECT r.id, r.project, r.queue, r.priority, r.job, r.attempt AS retries, r.visit, r.claimed_visit, false AS waiting, h.name AS host, r.parent
FROM chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder
WHERE r.holder IS NOT NULL AND (h.id IS NULL OR h.beat_at < now() - h.lease_ms * interval '1 millisecond')
LIMIT 50 FOR UPDATE OF r SKIP LOCKED`;

interface ReapableRow extends SettledRow {
	readonly retries: number;
	readonly host: string | null;
	readonly parent: string | null;
}

/** Takes the runs of dead hosts back, so that others continue them; gives their ids. */
export async function reapRuns(database: Database): Promise<readonly string[]> {
	return database.transaction(async (tx) => {
		const { rows } = await tx.query<ReapableRow>(reapable);
		for (const row of rows) {
			if (row.parent !== null) {
				// Continuing its parent continues it.
				await tx.query("UPDATE chronicle.run SET holder = NULL WHERE id = $1", [row.id]);
				continue;
			}
			const reason = `The host ${row.host ?? "that had it"} stopped renewing its lease.`;
			const attempt = row.job === null ? undefined : { id: row.job, queue: row.queue, retryCount: row.retries };
			const job = attempt
				? await settleJob(database, tx, { ...row, attempt }, { kind: "failed", reason })
				: await sendJob(database, tx, row);
			await tx.query("UPDATE chronicle.run SET holder = NULL, job = $2 WHERE id = $1", [row.id, job]);
		}
		return rows.filter(({ parent }) => parent === null).map(({ id }) => id);
	});
}

/** Puts the job of a run off, because this host cannot do it now, and notes why. */
export async function postpone(
	database: Database,
	tx: Sql,
	id: string,
	attempt: JobAttempt,
	{ seconds, why }: { readonly seconds: number; readonly why: string },
): Promise<void> {
	const { rows } = await tx.query<QueuedRun>(
		"SELECT id, project, queue, priority FROM chronicle.run WHERE id = $1 AND job = $2 FOR UPDATE",
		[id, attempt.id],
	);
	const [row] = rows;
	await completeJob(database, tx, attempt);
	if (!row) return;
	const job = await sendJob(database, tx, row, seconds);
	await tx.query("UPDATE chronicle.run SET job = $2, waits = $3 WHERE id = $1", [id, job, why]);
}
