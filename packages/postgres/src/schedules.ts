// Schedules: templates and tasks that become runs at the times of a cron expression. pg-boss sends a job at each time; a host creates the run
// (scheduled-run.ts). What a run needs is pinned when the schedule is added. A schedule and its times are added and removed in one transaction.

import { randomUUID } from "node:crypto";
import { errorMessage } from "@pi-chronicle/core/definition";
import { type Created, SCHEMA_VERSION, type TemplateReload } from "@pi-chronicle/core/machine";
import type { Result, StoreFailure } from "@pi-chronicle/core/ports";
import { storeFailure } from "pi-chronicle/local";
import type { Database, Sql } from "./database.ts";
import { throughOutage, unsureMs } from "./database-failure.ts";
import { plainQueue } from "./routing.ts";

/** A run that a schedule makes: its first event, without the id. */
export type ScheduledStart = Omit<Created, "id">;

export interface NewSchedule {
	readonly project: string;
	/** Name in pg-boss of the queue that its runs go to. */
	readonly queue: string;
	readonly priority: number;
	/** Five fields: minute, hour, day of the month, month, day of the week. */
	readonly cron: string;
	/** Time zone, such as `Europe/Berlin`. */
	readonly zone: string;
	/** Branch of the remote whose files a run starts with; `undefined`: the one that the remote's HEAD names. */
	readonly branch?: string | undefined;
	/** The project's folder below the root of its repository. */
	readonly folder: string;
	/** Whether a run starts although the one before is not over. */
	readonly overlap: boolean;
	readonly start: ScheduledStart;
}

export interface EngineSchedule {
	readonly id: string;
	readonly cron: string;
	readonly zone: string;
	readonly branch: string | null;
	readonly overlap: boolean;
	readonly template: string;
	readonly task: string;
	/** Its last run, and the status of that. */
	readonly run: string | null;
	readonly status: string | null;
	/** When a host last handled it; ISO 8601. */
	readonly at: string | null;
	/** Times since the last run at which no run was made. */
	readonly skipped: number;
	/** Why, or what went wrong. */
	readonly note: string | null;
	/** When it is next due; ISO 8601. */
	readonly next: string | null;
}

/** The first event of the runs of a schedule. */
export function scheduledStart(pinned: TemplateReload, task: string, model: string | undefined): ScheduledStart {
	const start = { kind: "created", schemaVersion: SCHEMA_VERSION, ...pinned, task } as const;
	return model === undefined ? start : { ...start, model };
}

/** The queue of the jobs that a project's schedules send. */
export function scheduleQueue(project: string): string {
	return `${project}/.schedule`;
}

const insertText = `
INSERT INTO chronicle.schedule (id, project, queue, priority, cron, zone, branch, folder, overlap, template, task, start)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`;

/** Adds a schedule; gives its id. */
export async function addSchedule(database: Database, schedule: NewSchedule): Promise<Result<string, StoreFailure>> {
	const { project, queue, priority, cron, zone, branch = null, folder, overlap, start } = schedule;
	const boss = await database.boss();
	try {
		// pg-boss would take more than five fields, and rules of calendars.
		if (cron.trim().split(/\s+/).length !== 5) throw new Error("it needs five fields");
		boss.previewSchedule(cron, { tz: zone, count: 1 });
	} catch (error) {
		return storeFailure(
			"unknown",
			`"${cron}" in the time zone ${zone} is not a schedule: ${errorMessage(error)}.`,
			'Write five fields, minute first, such as "0 3 * * 1-5", and a zone such as Europe/Berlin.',
		);
	}
	for (const name of [plainQueue(queue), scheduleQueue(project)])
		if (!(await boss.getQueue(name)))
			return storeFailure(
				"unknown",
				`The engine has no queue ${name}.`,
				`Run ${database.shell}engine init for the project.`,
			);
	const id = randomUUID();
	const { template, task } = start;
	const insert = async (tx: Sql): Promise<void> => {
		await tx.query(insertText, [
			...[id, project, queue, priority, cron, zone, branch, folder, overlap, template.name, task],
			JSON.stringify(start),
		]);
		await boss.schedule(scheduleQueue(project), cron, { schedule: id }, { tz: zone, key: id, missed: "once", db: tx });
	};
	// It may be there although that was not confirmed.
	await throughOutage(unsureMs, () => database.transaction(insert));
	return { ok: true, value: id };
}

type ScheduleRow = Omit<EngineSchedule, "next">;

const listText = `
SELECT s.id::text, s.cron, s.zone, s.branch, s.overlap, s.template, s.task, s.last_run::text AS run, r.status, s.skipped, s.note,
	to_char(s.handled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at
FROM chronicle.schedule s LEFT JOIN chronicle.run r ON r.id = s.last_run WHERE s.project = $1 ORDER BY s.made_at`;

/** The schedules of a project, oldest first. */
export async function listSchedules(database: Database, project: string): Promise<readonly EngineSchedule[]> {
	const boss = await database.boss();
	const { rows } = await database.query<ScheduleRow>(listText, [project]);
	return rows.map((row) => {
		const [next] = boss.previewSchedule(row.cron, { tz: row.zone, count: 1 });
		return { ...row, next: next?.toISOString() ?? null };
	});
}

/** Removes the schedule whose id begins with `name`; its runs stay. */
export async function removeSchedule(
	database: Database,
	project: string,
	name: string,
): Promise<Result<string, StoreFailure>> {
	const all = await database.query<{ id: string }>("SELECT id::text FROM chronicle.schedule WHERE project = $1", [
		project,
	]);
	const [found, second] = all.rows.filter(({ id }) => name !== "" && id.startsWith(name.toLowerCase()));
	if (!found) return storeFailure("unknown", `No schedule matches "${name}".`, "engine schedule list shows them.");
	if (second) return storeFailure("ambiguous", `Several schedules start with "${name}".`, "Use more characters.");
	const boss = await database.boss();
	await database.transaction(async (tx) => {
		await boss.unschedule(scheduleQueue(project), found.id, { db: tx });
		await tx.query("DELETE FROM chronicle.schedule WHERE id = $1", [found.id]);
	});
	return { ok: true, value: found.id };
}
