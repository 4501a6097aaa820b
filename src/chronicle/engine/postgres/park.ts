// Parks runs whose jobs the queue has given up: pending actions are recorded as not done, without doing any of them, until the run waits
// for its user.
import type { JobWithMetadata } from "pg-boss";
import { processStart } from "../../../process/index.ts";
import {
	type Action,
	decide,
	type EventBody,
	foldEvent,
	isParked,
	isRefusal,
	pendingActions,
	type Run,
} from "../../core/index.ts";
import { thisHost } from "../ledger/index.ts";
import type { Database } from "./database.ts";
import type { PostgresLedger } from "./held.ts";
import type { JobData } from "./jobs.ts";
import type { HostLog } from "./log.ts";
import type { PostgresStore } from "./store.ts";
import { runOfJob } from "./untrusted.ts";

const maxSteps = 40;

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
			const detail = `The hosts of the engine gave up the run after ${(job.sourceRetryCount ?? 0) + 1} attempts. ${reason}`;
			const run = runOfJob(job.data);
			const opened = run !== undefined && (await isLeft(database, run, job)) ? await store.open(run) : undefined;
			if (opened?.ok) {
				const started = processStart(process.pid) ?? "unknown";
				await parkRun(opened.value, { host: thisHost(), pid: process.pid, started }, detail);
				await opened.value.releaseLease();
				report(`Parked. ${detail}`, { level: "warn", run: opened.value.run.id });
			} else if (opened && opened.failure.reason !== "unknown") throw new Error(opened.failure.message);
			await boss.complete(dead, job);
		} catch (error) {
			await boss.fail(dead, job, { reason: (error as Error).message });
		}
	}
}

/** Whether the job that was given up is still the run's: it may have been parked for that before, and resumed since. */
async function isLeft(database: Database, run: string, { sourceId }: JobWithMetadata): Promise<boolean> {
	const text = "SELECT FROM chronicle.run WHERE id = $1 AND job = COALESCE($2, job)";
	return (await database.query(text, [run, sourceId])).count > 0;
}

/** Parks the run with `detail` as the reason. `self`: this process. Throws if the run cannot be brought there. */
async function parkRun(
	ledger: PostgresLedger,
	self: { readonly host: string; readonly pid: number; readonly started: string },
	detail: string,
): Promise<void> {
	let { run } = ledger;
	const record = async (body: EventBody): Promise<boolean> => {
		const batch = decide(run, body, new Date().toISOString());
		if (isRefusal(batch)) return false;
		const appended = await ledger.append(batch.events, "durable");
		if (!appended.ok) throw new Error(appended.failure.message);
		run = appended.value.reduce(foldEvent, run);
		return true;
	};
	if (isParked(run)) return;
	await record({ kind: "opened", ...self });
	let asked = false;
	for (let step = 0; !isParked(run); step += 1) {
		if (step > maxSteps) throw new Error(`The run could not be parked in the stage ${run.stage.kind}.`);
		if (!asked) asked = await record({ kind: "pause_requested", cause: "crash", detail });
		if (isParked(run)) break;
		const undone = pendingActions(run).map((action) => undoneEvent(run, action, detail));
		for (const event of undone) if (event) await record(event);
	}
	const saved = await ledger.checkpoint(run);
	if (!saved.ok) throw new Error(saved.failure.message);
}

/** The event that records that an action was not done. */
function undoneEvent(run: Run, action: Action, detail: string): EventBody | undefined {
	switch (action.kind) {
		case "end_worker":
			return { kind: "worker_ended", ...action.launch, outcome: { kind: "lost" } };
		case "clean_up":
			return { kind: "cleanup_ended", visit: action.visit, index: action.index, result: { kind: "unstarted", detail } };
		case "measure_files":
			return { kind: "files_unmeasured", visit: action.visit, purpose: action.purpose, detail };
		case "restore_files":
			return { kind: "files_unrestored", tree: action.tree, detail };
		case "work":
			return run.stage.kind === "launching"
				? { kind: "launch_failed", ...action.launch, reason: "spawn", detail }
				: undefined;
		case "run_child":
		case "stop_child":
			return { kind: "child_parked", visit: action.visit, child: action.child.id, status: "paused", detail };
		case "merge_files":
		case "apply_join":
			return { kind: "join_failed", visit: action.visit, detail };
		default:
			return undefined;
	}
}
