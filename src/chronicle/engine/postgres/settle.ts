// What becomes of a job when its segment has ended, or its host is dead.
import type { HostNeed } from "../../core/index.ts";
import type { Database, Sql } from "./database.ts";
import { completeJob, failJob, type JobAttempt, type JobData, type QueuedRun, queuedColumns, sendJob } from "./jobs.ts";
import { nextQueue, routeJob } from "./routing.ts";

/** A locked run whose job is to be settled. */
export interface SettledRow extends QueuedRun {
	readonly job: string | null;
	readonly visit: number;
	/** The visit that it was in when the job was taken. */
	readonly claimed_visit: number;
}

/** Columns of a {@link SettledRow}, of the table `chronicle.run r`. */
export const settledColumns = `${queuedColumns}, r.job, r.visit, r.claimed_visit`;

export type Settlement = { readonly kind: "parked" | "again" } | { readonly kind: "failed"; readonly reason: string };

/** Settles an attempt at the run's job, and sends the next one where the run continues: to the hosts that it needs then. */
export async function settleJob(
	database: Database,
	tx: Sql,
	row: SettledRow & { readonly attempt: JobAttempt },
	how: Settlement,
): Promise<void> {
	// A run that makes progress is not poisoned: its attempt count restarts.
	const isStuck = row.visit === row.claimed_visit && (await routeJob(tx, row)) === row.attempt.queue;
	if (how.kind === "failed" && isStuck) return failJob(database, tx, row.attempt, how.reason);
	await completeJob(database, tx, row.attempt);
	if (how.kind !== "parked" || row.waiting) return sendJob(database, tx, row);
	await tx.query("UPDATE chronicle.run SET job = NULL WHERE id = $1", [row.id]);
}

const reapable = `
SELECT ${settledColumns}, r.job_queue, r.attempt AS retries, h.name AS host
FROM chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder
WHERE r.holder IS NOT NULL AND (h.id IS NULL OR h.beat_at < now() - h.lease_ms * interval '1 millisecond')
LIMIT 50 FOR UPDATE OF r SKIP LOCKED`;

interface ReapableRow extends SettledRow {
	readonly job_queue: string | null;
	readonly retries: number;
	readonly host: string | null;
}

/** Takes the runs of dead hosts back, so that others continue them; gives their ids. */
export async function reapRuns(database: Database): Promise<readonly string[]> {
	return database.transaction(async (tx) => {
		const { rows } = await tx.query<ReapableRow>(reapable);
		for (const row of rows) {
			await tx.query("UPDATE chronicle.run SET holder = NULL WHERE id = $1", [row.id]);
			const reason = `The host ${row.host ?? "that had it"} stopped renewing its lease.`;
			const attempt = row.job && { id: row.job, queue: row.job_queue ?? row.queue, retryCount: row.retries };
			// A run that waits for its children is not why its host died: another can take it at once.
			if (attempt && row.delegates) await completeJob(database, tx, attempt);
			if (!attempt || row.delegates) await sendJob(database, tx, row);
			else await settleJob(database, tx, { ...row, attempt }, { kind: "failed", reason });
		}
		return rows.map(({ id }) => id);
	});
}

/** Completes an attempt whose job is to be replaced; gives the locked run, or `undefined` if the job is not its current one. */
async function completeReplaced(
	database: Database,
	tx: Sql,
	id: string,
	attempt: JobAttempt,
): Promise<QueuedRun | undefined> {
	const { rows } = await tx.query<QueuedRun>(
		`SELECT ${queuedColumns} FROM chronicle.run r WHERE r.id = $1 AND r.job = $2 FOR UPDATE`,
		[id, attempt.id],
	);
	await completeJob(database, tx, attempt);
	return rows[0];
}

/** Sends the job of a run on to the hosts that have the labels which the run needs. */
export async function handOver(
	database: Database,
	tx: Sql,
	id: string,
	attempt: JobAttempt,
	{ labels, commandsToo }: HostNeed,
): Promise<void> {
	const row = await completeReplaced(database, tx, id, attempt);
	if (!row) return;
	await tx.query("UPDATE chronicle.run SET needs = $2, bound = $3, waits = NULL WHERE id = $1", [
		id,
		labels,
		commandsToo,
	]);
	await sendJob(database, tx, { ...row, needs: labels, bound: commandsToo });
}

/**
 * Cancels the jobs of a held run that its current one has replaced: a command went to any host while a job waited for one with labels. Not
 * in the transaction that took the run, because a host that fetches such a job locks it before the run.
 */
export async function cancelReplaced(database: Database, id: string): Promise<void> {
	const { rows } = await database.query<
		Pick<QueuedRun, "queue" | "needs"> & { readonly job: string; readonly at: string }
	>("SELECT queue, needs, job, COALESCE(job_queue, queue) AS at FROM chronicle.run WHERE id = $1 AND job IS NOT NULL", [
		id,
	]);
	const [row] = rows;
	if (!row) return;
	const queue = nextQueue({ ...row, bound: true, waiting: false, aborting: false });
	if (queue === row.at) return;
	const boss = await database.boss();
	if (!(await boss.getQueue(queue))) return;
	const [current] = await boss.findJobs<JobData>(row.at, { id: row.job });
	const queued = await boss.findJobs<JobData>(queue, { data: { run: id }, queued: true });
	const replaced = queued.filter(({ createdOn }) => current && createdOn < current.createdOn);
	for (const job of replaced) await boss.cancel(queue, job.id);
}

/** Puts the job of a run off, because this host cannot do it now, and notes why. */
export async function postpone(
	database: Database,
	tx: Sql,
	id: string,
	attempt: JobAttempt,
	{ seconds, why }: { readonly seconds: number; readonly why: string },
): Promise<void> {
	const row = await completeReplaced(database, tx, id, attempt);
	if (!row) return;
	await sendJob(database, tx, row, seconds);
	await tx.query("UPDATE chronicle.run SET waits = $2 WHERE id = $1", [id, why]);
}
