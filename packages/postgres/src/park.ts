// Parks runs whose jobs the queue has given up.

import { errorMessage } from "@pi-chronicle/core/definition";
import { decide, foldEvent, isParked, isRefusal } from "@pi-chronicle/core/machine";
import { cutText } from "@pi-chronicle/core/snapshot";
import type { JobWithMetadata } from "pg-boss";
import type { Database } from "./database.ts";
import type { PostgresLedger } from "./held.ts";
import type { JobData } from "./jobs.ts";
import type { HostLog } from "./log.ts";
import { refusePosts } from "./posts.ts";
import type { PostgresStore } from "./store.ts";
import { runOfJob } from "./untrusted.ts";

const maxBytes = 2000;

/** Parks the runs of the jobs in the dead-letter queue `dead` of a project, each with the reason of its last attempt. */
export async function parkDeadRuns(
	database: Database,
	{ store, dead }: { readonly store: PostgresStore; readonly dead: string },
	report: HostLog,
): Promise<void> {
	const boss = await database.boss();
	const jobs: JobWithMetadata<JobData>[] = await boss.fetch<JobData>(dead, { includeMetadata: true });
	for (const job of jobs) {
		try {
			const { sourceOutput } = job;
			const reason = (sourceOutput as { readonly reason?: string } | null)?.reason ?? "";
			const why = `The hosts of the engine gave up the run after ${(job.sourceRetryCount ?? 0) + 1} attempts. ${reason}`;
			const detail = cutText(why, maxBytes).text;
			const run = runOfJob(job.data);
			const opened = run !== undefined && (await isLeft(database, run, job)) ? await store.open(run) : undefined;
			if (opened?.ok) {
				await parkRun(database, opened.value, detail);
				await opened.value.releaseLease();
				report(`Parked. ${detail}`, { level: "warn", run: opened.value.run.id });
			} else if (opened && opened.failure.reason !== "unknown") throw new Error(opened.failure.message);
			await boss.complete(dead, job);
		} catch (error) {
			await boss.fail(dead, job, { reason: errorMessage(error) });
		}
	}
}

/** Whether the job that was given up is still the run's: it may have been parked for that before, and resumed since. */
async function isLeft(database: Database, run: string, { sourceId }: JobWithMetadata): Promise<boolean> {
	const text = "SELECT FROM chronicle.run WHERE id = $1 AND job = COALESCE($2, job)";
	return (await database.query(text, [run, sourceId])).count > 0;
}

/** Records that the run was given up. A run that already waits keeps waiting, and its posts are refused: no host could take it. */
async function parkRun(database: Database, ledger: PostgresLedger, detail: string): Promise<void> {
	const { run } = ledger;
	if (isParked(run)) return refusePosts(database, run.id, detail);
	const batch = decide(run, { kind: "given_up", detail }, new Date().toISOString());
	if (isRefusal(batch)) throw new Error(batch.message);
	const appended = await ledger.append(batch.events, "durable");
	if (!appended.ok) throw new Error(appended.failure.message);
	const saved = await ledger.checkpoint(appended.value.reduce(foldEvent, run));
	if (!saved.ok) throw new Error(saved.failure.message);
}
