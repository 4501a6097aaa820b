// Jobs: one per segment of a run, from an activation until the run parks, ends or is released. pg-boss owns the queue; `run.job` identifies the
// current job. Everything here happens inside the caller's transaction. A run that does not wait for a user has at most one current job. A job is
// sent and settled in the same transaction as the change of its run.
import { randomUUID } from "node:crypto";
import type { Failure } from "@pi-chronicle/core/ports";
import type { PgBoss } from "pg-boss";
import { CHANNEL, type Database, notify, type Sql } from "./database.ts";
import { type JobRouting, labelsInQueue, plainQueue, routeJob } from "./routing.ts";

/** What a job holds. The rest is in the run's row. */
export interface JobData {
	readonly run: string;
}

/** One attempt at a job: a later one has a higher number. */
export interface JobAttempt {
	readonly id: string;
	readonly queue: string;
	readonly retryCount: number;
}

/** Added to the priority of a run that waits for its children: hosts take it first, because it needs no slot. */
const delegatesFirst = 10;

/** Added to that of a suspect: a host that has become idle for it takes it before the others. */
const suspectsFirst = 5;

/** Attempts after which a job that makes no progress is given up, and its run parked. */
const maxAttempts = 5;

const daySeconds = 86_400;

const namePattern = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** Whether `name` can name a project, a queue or a label: a slash separates them in the name of a queue. */
export function isName(name: string): boolean {
	return namePattern.test(name);
}

/** Why one of `names` cannot name a project, a queue or a label; `undefined` if all can. */
export function checkNames(names: readonly string[]): Failure | undefined {
	const wrong = names.find((name) => !isName(name));
	if (wrong === undefined) return undefined;
	return {
		reason: "usage",
		message: `"${wrong}" is not a valid name of a project, queue or label.`,
		remedy: "Use up to 40 lower-case letters, digits, - and _.",
	};
}

/** Whether a host that has `labels` takes jobs of the queue `name`, for a project whose `queues` it serves. */
export function isServed(
	name: string,
	{ project, queues, labels }: { project: string; queues: readonly string[]; labels: readonly string[] },
): boolean {
	const [of = "", queue = "", ...needed] = name.split("/");
	return of === project && queues.includes(queue) && needed.every((label) => labels.includes(label));
}

/** The dead-letter queue of a project: jobs that were given up. */
export function deadQueue(project: string): string {
	return `${project}/.dead`;
}

/** Makes the queue `name` of a project, and that of its dead jobs. Repeating it changes nothing. */
export async function makeQueue(boss: PgBoss, project: string, name: string): Promise<void> {
	const dead = deadQueue(project);
	const kept = { retentionSeconds: 3650 * daySeconds, deleteAfterSeconds: 7 * daySeconds };
	if (!(await boss.getQueue(dead))) await boss.createQueue(dead, { ...kept, retryLimit: 20, retryDelay: 30 });
	if (await boss.getQueue(name)) return;
	await boss.createQueue(name, {
		...kept,
		deadLetter: dead,
		expireInSeconds: daySeconds,
		retryLimit: maxAttempts - 1,
		retryDelay: 1,
		retryBackoff: true,
		retryDelayMax: 60,
	});
}

/** What is needed of a run to send its job. */
export interface QueuedRun extends JobRouting {
	readonly id: string;
	readonly project: string;
	readonly priority: number;
	/** Its children do its work. */
	readonly delegates: boolean;
	/** It must be alone on its host (see `suspects.ts`). */
	readonly suspected: boolean;
}

/** Columns of a {@link QueuedRun}, of the table `chronicle.run r`. */
export const queuedColumns = `r.id, r.project, r.queue, r.priority, r.needs, r.bound, r.delegates,
	r.suspect IS NOT NULL AS suspected,
	EXISTS (SELECT FROM chronicle.inbox i WHERE i.run = r.id AND i.state = 'waiting') AS waiting, EXISTS (
		SELECT FROM chronicle.inbox i WHERE i.run = r.id AND i.state = 'waiting' AND i.body LIKE '%"kind":"abort_requested"%'
	) AS aborting`;

/** Makes a queue with labels where there is the one without: any run or state may name labels, so no list of them could be complete. */
async function makeLabelQueue(boss: PgBoss, project: string, name: string): Promise<void> {
	if (labelsInQueue(name).length === 0 || (await boss.getQueue(name))) return;
	if (await boss.getQueue(plainQueue(name))) await makeQueue(boss, project, name);
}

/** Sends the next job of a run, from now on its current one. `afterSeconds`: not before that. */
export async function sendJob(database: Database, tx: Sql, run: QueuedRun, afterSeconds = 0): Promise<void> {
	const { id, project, delegates } = run;
	const priority = run.priority + (delegates ? delegatesFirst : run.suspected ? suspectsFirst : 0);
	const boss = await database.boss();
	const job = randomUUID();
	const queue = await routeJob(tx, run);
	await makeLabelQueue(boss, project, queue);
	const sent = await boss.send(queue, { run: id } satisfies JobData, {
		id: job,
		priority,
		group: { id: project },
		startAfter: afterSeconds > 0 ? afterSeconds : undefined,
		db: tx,
	});
	if (sent === null) throw new Error(`The queue ${queue} did not take the job of run ${id}.`);
	const note = "UPDATE chronicle.run SET job = $2, job_queue = $3 WHERE id = $1";
	if (afterSeconds > 0) await tx.query(note, [id, job, queue]);
	else await tx.query(`WITH noted AS (${note}) SELECT pg_notify($4, $5)`, [id, job, queue, CHANNEL, `job ${queue}`]);
}

/**
 * Sends a job for the run of a locked row, unless one is being done, or queued for the right hosts: a host that fetches a job that is no
 * longer current drops it. Gives whether it sent one.
 */
export async function ensureJob(
	database: Database,
	tx: Sql,
	row: QueuedRun & { readonly job: string | null; readonly job_queue: string | null },
): Promise<boolean> {
	const queue = row.job_queue ?? row.queue;
	const state = row.job === null ? "gone" : await jobState(database, tx, queue, row.job);
	if (state === "active" || (state === "queued" && queue === (await routeJob(tx, row)))) return false;
	if (state === "gone" && (await isGivenUp(database, tx, row))) return false;
	await sendJob(database, tx, row);
	return true;
}

/** Whether the job of a run was given up, and the run is to be parked for that: another job would begin its attempts anew, for ever. */
async function isGivenUp(database: Database, tx: Sql, { id, project }: QueuedRun): Promise<boolean> {
	const boss = await database.boss();
	return (await boss.findJobs(deadQueue(project), { data: { run: id }, queued: true, db: tx })).length > 0;
}

/** Milliseconds by which a job may be late without another one being sent for a command. */
const soonMs = 5000;

/** Whether a job is queued for about now, or for another attempt, or being done; `gone`: neither. A new one that is due much later does not count. */
async function jobState(
	database: Database,
	tx: Sql,
	queue: string,
	job: string,
): Promise<"queued" | "active" | "gone"> {
	const boss = await database.boss();
	const [found] = await boss.findJobs(queue, { id: job, db: tx });
	if (found?.state === "active") return "active";
	if (found?.state === "retry") return "queued";
	if (found?.state !== "created") return "gone";
	return new Date(found.startAfter).getTime() > Date.now() + soonMs ? "gone" : "queued";
}

/** Whether an attempt at a job is under way. */
export async function isActiveJob(
	database: Database,
	tx: Sql,
	{ queue, id }: Pick<JobAttempt, "queue" | "id">,
): Promise<boolean> {
	return (await jobState(database, tx, queue, id)) === "active";
}

/** Completes an attempt at a job. */
export async function completeJob(database: Database, tx: Sql, { queue, id, retryCount }: JobAttempt): Promise<void> {
	const boss = await database.boss();
	await boss.complete(queue, { id, retryCount }, null, { db: tx });
}

/** Fails an attempt: the job is tried again later, or given up after the last attempt. */
export async function failJob(
	database: Database,
	tx: Sql,
	{ queue, id, retryCount }: JobAttempt,
	reason: string,
): Promise<void> {
	const boss = await database.boss();
	await boss.fail(queue, { id, retryCount }, { reason }, { db: tx });
	await notify(tx, `job ${queue}`);
}
