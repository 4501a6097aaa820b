// Sets an engine up: tables, queues, projects, members, limits. Idempotent.
import type { Failure } from "@pi-chronicle/core/ports";
import type { Database } from "./database.ts";
import { usualQueue } from "./engine-project.ts";
import { checkNames, makeQueue } from "./jobs.ts";
import { readLimits, setLimit } from "./quota.ts";
import { makeRoles } from "./rights.ts";
import { queueName } from "./routing.ts";
import { scheduleQueue } from "./schedules.ts";
import { initialize } from "./schema.ts";

export interface EngineSetup {
	/** A project to make; without one only the tables are made. */
	readonly project?: string | undefined;
	readonly queues: readonly string[];
	/** Labels of hosts: only checked, because their queues are made with the first job for them. */
	readonly labels: readonly string[];
	/** Runs of the project at once, and taken in a minute. Absent: as before. */
	readonly most?: number | undefined;
	readonly perMinute?: number | undefined;
	/** Login roles, or groups of them, that are given the project. */
	readonly members: readonly string[];
}

/** Sets the engine up; returns what was done and what could not be, one sentence each. */
export async function setUpEngine(database: Database, setup: EngineSetup): Promise<Failure | readonly string[]> {
	const notes = await initialize(database);
	if ("reason" in notes) return notes;
	const { project, queues, labels, members } = setup;
	const lines = [`The engine at ${database.name} is set up.`, ...notes];
	if (project === undefined) return lines;
	const wrong = checkNames([project, ...queues, ...labels]);
	if (wrong) return wrong;
	const unknown = await unknownMembers(database, members);
	if (unknown.length > 0)
		return {
			reason: "usage",
			message: `The database has no role ${unknown.join(" and no role ")}.`,
			remedy: "Create it first, for example: CREATE ROLE … LOGIN IN ROLE chronicle_submitter.",
		};
	await database.query("INSERT INTO chronicle.project (name) VALUES ($1) ON CONFLICT DO NOTHING", [project]);
	await limitProject(database, project, setup);
	const boss = await database.boss();
	await makeQueue(boss, project, scheduleQueue(project));
	const named = queues.length > 0 ? queues : [usualQueue];
	for (const queue of named) await makeQueue(boss, project, queueName(project, queue));
	if (notes.length === 0) await database.transaction((tx) => makeRoles(tx));
	for (const member of members)
		await database.query("INSERT INTO chronicle.access (project, member) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
			project,
			member,
		]);
	return [
		...lines,
		`Project ${project}: hosts can take its runs.`,
		...members.map((member) => `${member} has access to ${project}.`),
	];
}

async function unknownMembers(database: Database, members: readonly string[]): Promise<readonly string[]> {
	const { rows } = await database.query<{ member: string }>(
		"SELECT member FROM unnest($1::text[]) member WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = member)",
		[members],
	);
	return rows.map(({ member }) => member);
}

/** Sets the limits that are given, and keeps the others. */
async function limitProject(
	database: Database,
	name: string,
	{ most, perMinute }: Pick<EngineSetup, "most" | "perMinute">,
): Promise<void> {
	const [now] = (await readLimits(database)).filter((limit) => limit.kind === "project" && limit.name === name);
	if (most === undefined && perMinute === undefined) return;
	await setLimit(database, {
		...{ kind: "project", name },
		most: most ?? now?.most ?? undefined,
		perMinute: perMinute ?? now?.perMinute ?? undefined,
	});
}
