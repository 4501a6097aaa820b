// Sets an engine up: tables, queues, projects, members, limits. Everything may be repeated.
import type { Failure } from "../../core/index.ts";
import type { Database } from "./database.ts";
import { usualQueue } from "./engine-project.ts";
import { isName, makeQueue, queueNames } from "./jobs.ts";
import { scheduleQueue } from "./schedules.ts";
import { initialize, makeRoles } from "./schema.ts";

export interface EngineSetup {
	/** A project to make; without one only the tables are made. */
	readonly project?: string | undefined;
	readonly queues: readonly string[];
	/** A queue of its own for each set of them, for runs that need a host that has all of it. */
	readonly labels: readonly string[];
	/** Runs of the project at once. */
	readonly most?: number | undefined;
	/** Login roles, or groups of them, that are given the project. */
	readonly members: readonly string[];
}

/** Does it; gives what was done and what could not be, one sentence each. */
export async function setUpEngine(database: Database, setup: EngineSetup): Promise<Failure | readonly string[]> {
	const notes = await initialize(database);
	if ("reason" in notes) return notes;
	const { project, queues, labels, most, members } = setup;
	const lines = [`The engine at ${database.name} is set up.`, ...notes];
	if (project === undefined) return lines;
	const names = [project, ...queues, ...labels];
	const wrong = names.find((name) => !isName(name));
	if (wrong !== undefined)
		return {
			reason: "usage",
			message: `"${wrong}" is not a valid name of a project, queue or label.`,
			remedy: "Use up to 40 lower-case letters, digits, - and _.",
		};
	await database.query(
		"INSERT INTO chronicle.project (name, most) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET most = COALESCE(EXCLUDED.most, chronicle.project.most)",
		[project, most ?? null],
	);
	const boss = await database.boss();
	await makeQueue(boss, project, scheduleQueue(project));
	const named = queues.length > 0 ? queues : [usualQueue];
	for (const queue of queueNames(project, named, labels)) await makeQueue(boss, project, queue);
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

/** Sets or removes a limit. `most`: at once; `perMinute`: begun in a minute; neither: no limit. */
export async function setLimit(
	database: Database,
	{
		kind,
		name,
		most,
		perMinute,
	}: { kind: "queue" | "provider"; name: string; most?: number | undefined; perMinute?: number | undefined },
): Promise<void> {
	if (most === undefined && perMinute === undefined) {
		await database.query("DELETE FROM chronicle.quota WHERE kind = $1 AND name = $2", [kind, name]);
		return;
	}
	await database.query(
		"INSERT INTO chronicle.quota VALUES ($1, $2, $3, $4) ON CONFLICT (kind, name) DO UPDATE SET most = EXCLUDED.most, per_minute = EXCLUDED.per_minute",
		[kind, name, most ?? null, perMinute ?? null],
	);
}
