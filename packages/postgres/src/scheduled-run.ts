// Creates the runs of a project's schedules: pg-boss sends a job at each scheduled time, and the host that takes it creates a run for any host. A job
// creates one run, whatever dies: the run has the id of the job. No run is created before the previous one is over, unless the schedule allows it.
// The row of a schedule says which times were skipped, and why.

import { errorMessage, type Shape } from "@pi-chronicle/core/definition";
import type { Run } from "@pi-chronicle/core/machine";
import type { Result, StoreFailure } from "@pi-chronicle/core/ports";
import type { JobWithMetadata } from "pg-boss";
import {
	type Checkout,
	folderIn,
	openProject,
	openRedaction,
	openSharedWorkspace,
	parseUntrusted,
	type RunStart,
	systemClock,
	workspaceScope,
} from "pi-chronicle/local";
import type { Database } from "./database.ts";
import type { Host } from "./host.ts";
import type { HostLog } from "./log.ts";
import { type ScheduledStart, scheduleQueue } from "./schedules.ts";
import type { ServedProject } from "./segment.ts";
import { openPostgresStore } from "./store.ts";
import { isFirstEvent } from "./untrusted.ts";

export interface ScheduledRunsOptions {
	readonly database: Database;
	readonly host: Host;
	readonly project: ServedProject;
	readonly checkout: Checkout;
	readonly report: HostLog;
}

interface DueSchedule {
	readonly id: string;
	readonly queue: string;
	readonly priority: number;
	readonly branch: string | null;
	readonly folder: string;
	readonly start: string;
	/** The previous run, if it is not over. */
	readonly unfinished: string | null;
}

/** What others have put into the queue can name no schedule. */
type DueJob = JobWithMetadata<{ readonly schedule?: unknown } | null>;

/** Seconds after which another host may handle a job whose host has not finished. */
const handlingSeconds = 600;

/** Takes the schedule for a job, unless a host handles another job of it. */
const takeText = `
UPDATE chronicle.schedule s SET handling = $2, handled_at = now()
WHERE id = $1 AND (handling IS NULL OR handling = $2 OR handled_at < now() - $3 * interval '1 second')
RETURNING id::text, queue, priority, branch, folder, start, (
	SELECT r.id::text FROM chronicle.run r
	WHERE r.id = s.last_run AND NOT s.overlap AND r.id <> $2 AND r.status NOT IN ('done', 'failed', 'aborted')
) AS unfinished`;

export class ScheduledRuns {
	readonly #options: ScheduledRunsOptions;
	/** Runs that it is about to create. */
	readonly making = new Set<string>();
	#taking: Promise<void> | undefined;

	constructor(options: ScheduledRunsOptions) {
		this.#options = options;
	}

	look(): void {
		const { project, report } = this.#options;
		this.#taking ??= this.#takeAll()
			.catch((error: unknown) => report(`The schedules of ${project.name}: ${errorMessage(error)}`, { level: "error" }))
			.finally(() => {
				this.#taking = undefined;
			});
	}

	/** Resolves once no job is being handled. */
	async settle(): Promise<void> {
		await this.#taking;
	}

	async #takeAll(): Promise<void> {
		const { database, project } = this.#options;
		const boss = await database.boss();
		const queue = scheduleQueue(project.name);
		for (;;) {
			const [job] = (await boss.fetch(queue, { includeMetadata: true })) as DueJob[];
			if (!job) return;
			try {
				await this.#handle(job);
			} catch (error) {
				const reason = errorMessage(error);
				await this.#note(job, reason);
				await boss.fail(queue, job, { reason });
			}
		}
	}

	async #handle(job: DueJob): Promise<void> {
		const { database, report } = this.#options;
		const schedule = await database.transaction(async (tx) => {
			// First: a statement that waits for the row would not see the run that another host makes meanwhile.
			await tx.query("SELECT FROM chronicle.schedule WHERE id = $1 FOR UPDATE", [job.data?.schedule]);
			return (await tx.query<DueSchedule>(takeText, [job.data?.schedule, job.id, handlingSeconds])).rows[0];
		});
		if (!schedule) return this.#finishForeign(job);
		const { unfinished } = schedule;
		if (unfinished !== null) {
			await this.#finish(
				job,
				"skipped = skipped + 1, note = $2",
				`Its run ${unfinished.slice(0, 8)} was not over at the time of the next.`,
			);
			return report(
				`Schedule ${schedule.id.slice(0, 8)}: skipped, because its run ${unfinished.slice(0, 8)} is not over.`,
			);
		}
		const made = await this.#make(job.id, schedule);
		if (!made.ok && made.failure.reason !== "exists") throw new Error(made.failure.message);
		await this.#finish(job, "last_run = $2, skipped = 0, note = NULL", job.id);
		report(`Made by the schedule ${schedule.id.slice(0, 8)}.`, { run: job.id });
	}

	/** A job whose schedule is gone is done; one whose schedule is being handled is tried again. */
	async #finishForeign(job: DueJob): Promise<void> {
		const { database, project } = this.#options;
		const known = await database.query("SELECT FROM chronicle.schedule WHERE id = $1", [job.data?.schedule]);
		if (known.count > 0) throw new Error("Another host handles an earlier time of the schedule.");
		await (await database.boss()).complete(scheduleQueue(project.name), job);
	}

	/** Completes the job and updates its schedule in one transaction. */
	async #finish(job: DueJob, change: string, value: string): Promise<void> {
		const { database, project } = this.#options;
		const boss = await database.boss();
		await database.transaction(async (tx) => {
			await tx.query(`UPDATE chronicle.schedule SET handling = NULL, ${change} WHERE id = $1`, [
				job.data?.schedule,
				value,
			]);
			await boss.complete(scheduleQueue(project.name), job, null, { db: tx });
		});
	}

	async #note({ id, data }: DueJob, reason: string): Promise<void> {
		await this.#options.database
			.query("UPDATE chronicle.schedule SET handling = NULL, note = $3 WHERE id = $1 AND handling = $2", [
				data?.schedule,
				id,
				reason,
			])
			.catch(() => {});
	}

	/** Makes the run `id`; the store fails with `exists` where an earlier attempt at the job has made it. */
	async #make(id: string, schedule: DueSchedule): Promise<Result<unknown, StoreFailure>> {
		const { database, host, project, checkout } = this.#options;
		const { queue, priority, branch, folder } = schedule;
		this.making.add(id);
		try {
			const start = parseUntrusted(schedule.start, isFirstEvent as Shape<ScheduledStart>);
			if (!start) throw new Error("What the schedule starts cannot be read: remove it and add it again.");
			const checkedOut = await checkout.fetchTip(id, branch ?? undefined);
			const store = openPostgresStore({
				...{ database, host, clock: systemClock, redact: openRedaction(process.env), project: project.name },
				...{ queue, priority, schedule: schedule.id, folderOf: (run) => checkout.folderOf(run) },
				creates: { kind: "submitted", base: (run) => this.#publish(run, checkedOut.commit, folder) },
			});
			return await store.create({ ...start, id, checkedOut });
		} finally {
			// Whichever host does the run makes its own folder.
			await checkout.remove(id).catch(() => {});
			this.making.delete(id);
		}
	}

	/** Publishes the files of the commit `parent` as those that the run starts with. */
	async #publish(run: Run, parent: string, folder: string): Promise<Result<RunStart, StoreFailure>> {
		const { project, checkout } = this.#options;
		await checkout.reset(run.id, { parent, note: { folder, placeholders: [] } });
		const cwd = folderIn(checkout.workOf(run.id), folder);
		const { ownFolders } = openProject({ ...project.place, cwd, trust: "untrusted" });
		const files = openSharedWorkspace({
			...{ run: run.id, remote: project.remote, cwd, folder: checkout.folderOf(run.id), leftOut: ownFolders },
			...workspaceScope(run),
		});
		const taken = await files.snapshot();
		if (taken.ok) return { ok: true, value: { head: taken.value.tree, parent, folder } };
		return { ok: false, failure: { ...taken.failure, reason: "io" } };
	}
}
