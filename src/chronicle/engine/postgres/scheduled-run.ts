// The runs of a project's schedules: a host takes the jobs that pg-boss sends at their times, and makes a run of each for any host to do.
// C1 a job makes one run, whatever dies: the run has the id of the job; C2 no run is made while the one before is not over, unless its
// schedule says so; C3 what a schedule did not do, and why, is in its row.
import { join } from "node:path";
import type { JobWithMetadata } from "pg-boss";
import { openRedaction } from "../../../safety/index.ts";
import type { Result, Run, StoreFailure } from "../../core/index.ts";
import { openProject, systemClock, workspaceScope } from "../project/index.ts";
import type { Checkout } from "./checkout.ts";
import type { Database } from "./database.ts";
import type { Host } from "./host.ts";
import { type ScheduledStart, scheduleQueue } from "./schedules.ts";
import type { ServedProject } from "./segment.ts";
import { openSharedWorkspace } from "./shared-workspace.ts";
import { openPostgresStore } from "./store.ts";

export interface ScheduledRunsOptions {
	readonly database: Database;
	readonly host: Host;
	readonly project: ServedProject;
	readonly checkout: Checkout;
	readonly report: (text: string) => void;
}

interface DueSchedule {
	readonly id: string;
	readonly queue: string;
	readonly priority: number;
	readonly branch: string | null;
	readonly folder: string;
	readonly start: string;
	/** The run before that is not over. */
	readonly going: string | null;
}

type DueJob = JobWithMetadata<{ readonly schedule: string }>;

/** Seconds after which another host may handle a job whose host has not finished. */
const handlingSeconds = 600;

/** Takes the schedule for a job, unless a host handles another job of it. */
const takeText = `
UPDATE chronicle.schedule s SET handling = $2, handled_at = now()
WHERE id = $1 AND (handling IS NULL OR handling = $2 OR handled_at < now() - $3 * interval '1 second')
RETURNING id::text, queue, priority, branch, folder, start, (
	SELECT r.id::text FROM chronicle.run r
	WHERE r.id = s.last_run AND NOT s.overlap AND r.id <> $2 AND r.status NOT IN ('done', 'failed', 'aborted')
) AS going`;

export class ScheduledRuns {
	readonly #options: ScheduledRunsOptions;
	#taking: Promise<void> | undefined;

	constructor(options: ScheduledRunsOptions) {
		this.#options = options;
	}

	/** Takes the jobs that are due. */
	look(): void {
		const { project, report } = this.#options;
		this.#taking ??= this.#takeAll()
			.catch((error: unknown) => report(`The schedules of ${project.name}: ${(error as Error).message}`))
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
			const [job] = (await boss.fetch<{ schedule: string }>(queue, { includeMetadata: true })) as DueJob[];
			if (!job) return;
			try {
				await this.#handle(job);
			} catch (error) {
				const reason = (error as Error).message;
				await this.#note(job, reason);
				await boss.fail(queue, job, { reason });
			}
		}
	}

	async #handle(job: DueJob): Promise<void> {
		const { database, report } = this.#options;
		const { rows } = await database.query<DueSchedule>(takeText, [job.data.schedule, job.id, handlingSeconds]);
		const [schedule] = rows;
		if (!schedule) return this.#finishForeign(job);
		const { going } = schedule;
		if (going !== null) {
			await this.#finish(
				job,
				"skipped = skipped + 1, note = $2",
				`Its run ${going.slice(0, 8)} was not over at the time of the next.`,
			);
			return report(`Schedule ${schedule.id.slice(0, 8)}: skipped, because its run ${going.slice(0, 8)} is not over.`);
		}
		const made = await this.#make(job.id, schedule);
		if (!made.ok && made.failure.reason !== "exists") throw new Error(made.failure.message);
		await this.#finish(job, "last_run = $2, skipped = 0, note = NULL", job.id);
		report(`Schedule ${schedule.id.slice(0, 8)}: made the run ${job.id.slice(0, 8)}.`);
	}

	/** A job whose schedule is gone is done; one whose schedule is being handled is tried again. */
	async #finishForeign(job: DueJob): Promise<void> {
		const { database, project } = this.#options;
		const known = await database.query("SELECT FROM chronicle.schedule WHERE id = $1", [job.data.schedule]);
		if (known.count > 0) throw new Error("Another host handles an earlier time of the schedule.");
		await (await database.boss()).complete(scheduleQueue(project.name), job);
	}

	/** Settles the job together with what became of it. */
	async #finish(job: DueJob, change: string, value: string): Promise<void> {
		const { database, project } = this.#options;
		const boss = await database.boss();
		await database.transaction(async (tx) => {
			await tx.query(`UPDATE chronicle.schedule SET handling = NULL, ${change} WHERE id = $1`, [
				job.data.schedule,
				value,
			]);
			await boss.complete(scheduleQueue(project.name), job, null, { db: tx });
		});
	}

	async #note({ id, data }: DueJob, reason: string): Promise<void> {
		await this.#options.database
			.query("UPDATE chronicle.schedule SET handling = NULL, note = $3 WHERE id = $1 AND handling = $2", [
				data.schedule,
				id,
				reason,
			])
			.catch(() => {});
	}

	/** Makes the run `id`; the store fails with `exists` where an earlier attempt at the job has made it. */
	async #make(id: string, schedule: DueSchedule): Promise<Result<unknown, StoreFailure>> {
		const { database, host, project, checkout } = this.#options;
		const { queue, priority } = schedule;
		const store = openPostgresStore({
			...{ database, host, clock: systemClock, redact: openRedaction(process.env), project: project.name },
			...{ queue, priority, schedule: schedule.id, folderOf: (run) => checkout.folderOf(run) },
			creates: { kind: "submitted", base: (run) => this.#publish(run, schedule) },
		});
		try {
			return await store.create({ ...(JSON.parse(schedule.start) as ScheduledStart), id });
		} finally {
			// Whichever host does the run makes its own folder.
			await checkout.remove(id).catch(() => {});
		}
	}

	/** Publishes the files of the branch as those that the run starts with. */
	async #publish(run: Run, { branch, folder }: DueSchedule): Promise<Result<string, StoreFailure>> {
		const { project, checkout } = this.#options;
		const parent = await checkout.fetchTip(run.id, branch ?? undefined);
		await checkout.reset(run.id, { parent, note: { folder, placeholders: [] } });
		const cwd = join(checkout.workOf(run.id), folder);
		const { ownFolders } = openProject({ ...project.place, cwd, trust: "untrusted" });
		const files = openSharedWorkspace({
			...{ run: run.id, remote: project.remote, cwd, folder: checkout.folderOf(run.id), leftOut: ownFolders },
			...workspaceScope(run),
		});
		const taken = await files.snapshot();
		if (taken.ok) return { ok: true, value: taken.value.tree };
		return { ok: false, failure: { ...taken.failure, reason: "io" } };
	}
}
