// Limits on how many runs are done at once, by project, queue and model provider, and how many are begun in a minute.
// Q1 what is counted and what is taken cannot change in between: hosts that take runs under a limit do so one after another.
import type { Sql } from "./database.ts";
import type { RunRow } from "./rows.ts";

/** A limit holds a run back; the message names it. */
export class LimitReached extends Error {}

interface Limits {
	readonly project_most: number | null;
	readonly queue_most: number | null;
	readonly queue_rate: number | null;
	readonly provider_most: number | null;
	readonly provider_rate: number | null;
}

interface Load {
	readonly project_held: string;
	readonly queue_held: string;
	readonly queue_taken: string;
	readonly provider_held: string;
	readonly provider_taken: string;
}

const limitsText = `
SELECT p.most AS project_most, q.most AS queue_most, q.per_minute AS queue_rate, v.most AS provider_most, v.per_minute AS provider_rate
FROM chronicle.project p
LEFT JOIN chronicle.quota q ON q.kind = 'queue' AND q.name = $2
LEFT JOIN chronicle.quota v ON v.kind = 'provider' AND v.name = $3
WHERE p.name = $1`;

const lockNumber = 7_424_032;

/** Throws `LimitReached` if the run of a locked row must wait. */
export async function admitRun(tx: Sql, { project, queue, provider }: RunRow): Promise<void> {
	const [, plain = ""] = queue.split("/");
	const values = [project, plain, provider ?? ""];
	const [limits] = (await tx.query<Limits>(limitsText, values)).rows;
	if (!limits || Object.values(limits).every((limit) => limit === null)) return;
	await tx.query("SELECT pg_advisory_xact_lock($1)", [lockNumber]);
	const [load] = (await tx.query<Load>("SELECT * FROM chronicle.load($1, $2, $3)", values)).rows;
	if (!load) return;
	const checks: readonly (readonly [string, number | null, string])[] = [
		[`${limits.project_most} runs of the project ${project} at once`, limits.project_most, load.project_held],
		[`${limits.queue_most} runs of the queue ${plain} at once`, limits.queue_most, load.queue_held],
		[`${limits.queue_rate} runs of the queue ${plain} a minute`, limits.queue_rate, load.queue_taken],
		[`${limits.provider_most} runs with ${provider} at once`, limits.provider_most, load.provider_held],
		[`${limits.provider_rate} runs with ${provider} a minute`, limits.provider_rate, load.provider_taken],
	];
	for (const [text, limit, now] of checks)
		if (limit !== null && Number(now) >= limit) throw new LimitReached(`Waits for the limit of ${text}.`);
}
