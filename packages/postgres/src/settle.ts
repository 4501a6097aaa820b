// What becomes of a job when its segment has ended, or its host is dead, and which runs get one: a host sends the jobs of runs and commands that
// others have recorded. A run that is to continue, or has a command, and has neither host nor job gets a job from whichever host looks first.
import type { ConditionChanged, HostNeed, Run } from "@pi-chronicle/core/machine";
import type { Failure } from "@pi-chronicle/core/ports";
import { type Database, type Sql, storable } from "./database.ts";
import { isOutage } from "./database-failure.ts";
import type { RunClaim } from "./host.ts";
import {
	completeJob,
	ensureJob,
	failJob,
	isActiveJob,
	type JobAttempt,
	type QueuedRun,
	queuedColumns,
	sendJob,
} from "./jobs.ts";
import { routeJob } from "./routing.ts";
import { lockRun } from "./rows.ts";
import { deadHolder, isCounted, markSuspects } from "./suspects.ts";

/** Seconds until the provider that the run waits for is tried again; 0: it waits for none. */
export function secondsToWait({ stage, providerWait }: Run): number {
	if (stage.kind !== "awaiting_provider" || !providerWait) return 0;
	return Math.max(0, Math.ceil((Date.parse(providerWait.next) - Date.now()) / 1000));
}

/** Seconds until a run is taken again that needs the git remote, which was out of reach. */
const remoteAwaySeconds = 15;

/** How a run is given back that failed on a host: it is tried again, on any. An outage of the database or of the git remote is not the run's fault. */
export function failedOn(host: string, failure: Pick<Failure, "message"> & Partial<Failure>): Settlement {
	if (isOutage(failure)) return { kind: "again", afterSeconds: 2 };
	const { message, remedy = "" } = failure;
	const detail = storable(`The host ${host} gave it back: ${message}`);
	const hindered = remedy === "" ? { detail } : { detail, remedy };
	if (failure.reason === "remote_away") return { kind: "again", afterSeconds: remoteAwaySeconds, hindered };
	return { kind: "failed", reason: storable(`${message} ${remedy}`.trim()), hindered };
}

/** A locked run whose job is to be settled. */
export interface SettledRow extends QueuedRun {
	readonly job: string | null;
	/** The queue of that job; null: `queue`. */
	readonly job_queue: string | null;
	readonly visit: number;
	/** The visit that it was in when the job was taken. */
	readonly claimed_visit: number;
}

/** Columns of a {@link SettledRow}, of the table `chronicle.run r`. */
export const settledColumns = `${queuedColumns}, r.job, r.job_queue, r.visit, r.claimed_visit`;

export type Settlement =
	| { readonly kind: "parked" }
	/** `afterSeconds`: not before that; absent: at once. `hindered`: what to tell the user. */
	| { readonly kind: "again"; readonly afterSeconds?: number; readonly hindered?: Hindered }
	| { readonly kind: "failed"; readonly reason: string; readonly hindered?: Hindered };

type Hindered = Pick<ConditionChanged, "detail" | "remedy">;

/** Settles an attempt at the run's job, and sends the next one where the run continues: to the hosts that it needs then. */
export async function settleJob(
	database: Database,
	tx: Sql,
	row: SettledRow & { readonly attempt: JobAttempt },
	how: Settlement,
): Promise<void> {
	// A run that makes progress is not poisoned: its attempt count restarts.
	const isStuck = row.visit === row.claimed_visit && (await routeJob(tx, row)) === row.attempt.queue;
	if (how.kind !== "parked" && how.hindered)
		await tx.query("UPDATE chronicle.run SET waits = $2 WHERE id = $1", [row.id, how.hindered.detail]);
	if (how.kind === "failed" && isStuck) return failJob(database, tx, row.attempt, how.reason);
	await completeJob(database, tx, row.attempt);
	const afterSeconds = how.kind === "again" && !row.waiting ? how.afterSeconds : 0;
	if (how.kind !== "parked" || row.waiting) return sendJob(database, tx, row, afterSeconds);
	await tx.query("UPDATE chronicle.run SET job = NULL WHERE id = $1", [row.id]);
}

const heldByDead = `
SELECT r.id::text FROM chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder WHERE r.holder IS NOT NULL AND ${deadHolder} LIMIT 50`;
const reapable = `
SELECT ${settledColumns}, r.attempt, r.fence, r.suspect, h.name AS host
FROM chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder WHERE r.id = $1 AND r.holder IS NOT NULL AND ${deadHolder}`;

/** A locked run with the number of the attempt at its job. */
interface AttemptedRow extends SettledRow {
	readonly attempt: number;
}

/** The attempt at the run's job; `undefined`: it has none. */
function attemptOf({ job, job_queue, queue, attempt }: AttemptedRow): JobAttempt | undefined {
	return job === null ? undefined : { id: job, queue: job_queue ?? queue, retryCount: attempt };
}

interface ReapableRow extends AttemptedRow {
	readonly fence: number;
	readonly suspect: number | null;
	readonly host: string | null;
}

/** Takes the runs of dead hosts back, so that others continue them; gives their ids. */
export async function reapRuns(database: Database): Promise<readonly string[]> {
	const found = await database.query<{ id: string }>(heldByDead);
	if (found.rows.length > 0) await markSuspects(database);
	const reaped: string[] = [];
	for (const { id } of found.rows) if (await database.transaction((tx) => reapRun(database, tx, id))) reaped.push(id);
	return reaped;
}

/** `false`: another host does it, or its holder is alive. */
async function reapRun(database: Database, tx: Sql, id: string): Promise<boolean> {
	if (!(await lockRun(tx, id, true))) return false;
	const [row] = (await tx.query<ReapableRow>(reapable, [id])).rows;
	if (!row) return false;
	await tx.query("UPDATE chronicle.run SET holder = NULL WHERE id = $1", [id]);
	const reason = `The host ${row.host ?? "that had it"} stopped renewing its lease.`;
	const attempt = attemptOf(row);
	// A run that waits for its children is not why its host died: another can take it at once.
	const isInnocent = row.delegates || !isCounted(row);
	if (attempt && isInnocent) await completeJob(database, tx, attempt);
	if (!attempt || isInnocent) await sendJob(database, tx, row);
	else await settleJob(database, tx, { ...row, attempt }, { kind: "failed", reason });
	return true;
}

const heldText = `
SELECT ${settledColumns}, r.attempt FROM chronicle.run r WHERE r.id = $1 AND r.holder = $2 AND r.fence = $3`;

/**
 * Gives back a run that host `host` holds without doing anything for it: the connection was lost after the claim was committed, before that
 * was confirmed. `false`: the host no longer holds it under this fence, or another transaction has locked it.
 */
export function returnRun(database: Database, host: string, { id, fence }: RunClaim): Promise<boolean> {
	return database.transaction(async (tx) => {
		if (!(await lockRun(tx, id, true))) return false;
		const { rows } = await tx.query<AttemptedRow>(heldText, [id, host, fence]);
		const [row] = rows;
		if (!row) return false;
		await tx.query("UPDATE chronicle.run SET holder = NULL WHERE id = $1", [id]);
		const attempt = attemptOf(row);
		// The job of a run that was opened to be parked has been given up: its dead job leads back to the run.
		if (attempt && (await isActiveJob(database, tx, attempt)))
			await settleJob(database, tx, { ...row, attempt }, { kind: "again" });
		else if (row.waiting) await ensureJob(database, tx, row);
		return true;
	});
}

/** A run that is to continue and has neither host nor job: it is new, or its job is lost. The host of its parent sees to that of a child. */
export const unsent = "r.holder IS NULL AND r.job IS NULL AND r.parent IS NULL AND NOT r.parked";
/** Unsent runs, and runs with commands: of these, the ones without a job come first, because the others usually wait for a host. */
const idle = `
(SELECT r.id::text FROM chronicle.run r WHERE ${unsent} ORDER BY r.updated_hour, r.updated_at LIMIT 100) UNION
(SELECT r.id::text FROM chronicle.run r WHERE r.holder IS NULL AND r.id IN (SELECT run FROM chronicle.inbox WHERE state = 'waiting')
	ORDER BY r.job IS NOT NULL, random() LIMIT 20)`;

/** Sends jobs for runs that need one and have none; gives their ids. */
export async function wakeRuns(database: Database): Promise<readonly string[]> {
	const found = await database.query<{ id: string }>(idle);
	const woken: string[] = [];
	for (const { id } of found.rows) {
		// One that cannot get a job, such as without its queue, keeps none of the others waiting.
		if (await wakeRun(database, id, true).catch(() => false)) woken.push(id);
	}
	return woken;
}

/**
 * Sends a job for a run if it needs one and has none; also for a child that is to continue: its parent asks for it. `skip`: not while another
 * transaction has locked it, which may be the same.
 */
export function wakeRun(database: Database, id: string, skip = false): Promise<boolean> {
	return database.transaction(async (tx) => {
		if (!(await lockRun(tx, id, skip))) return false;
		const { rows } = await tx.query<SettledRow & { readonly parked: boolean }>(
			`SELECT ${settledColumns}, r.parked FROM chronicle.run r WHERE r.id = $1 AND r.holder IS NULL`,
			[id],
		);
		const [row] = rows;
		const isUnsent = row?.job === null && !row.parked;
		return row !== undefined && (row.waiting || isUnsent) && ensureJob(database, tx, row);
	});
}

/** Completes an attempt whose job is to be replaced; gives the locked run, or `undefined` if the job is not its current one. */
async function completeReplaced(
	database: Database,
	tx: Sql,
	id: string,
	attempt: JobAttempt,
): Promise<QueuedRun | undefined> {
	await lockRun(tx, id);
	const { rows } = await tx.query<QueuedRun>(
		`SELECT ${queuedColumns} FROM chronicle.run r WHERE r.id = $1 AND r.job = $2`,
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
