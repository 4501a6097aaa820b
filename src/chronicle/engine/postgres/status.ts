// Reads the status of an engine: hosts with their slots, queues with their jobs, runs that wait for something, dead letters.
import { type Database, JOBS_SCHEMA } from "./database.ts";
import { deadQueue, type QueuedRun, queuedColumns } from "./jobs.ts";
import { type LimitStatus, readLimits } from "./quota.ts";
import { explainWait, readOffers } from "./routing.ts";

interface HostStatus {
	readonly id: string;
	readonly name: string;
	readonly pid: number;
	readonly version: string;
	readonly slots: number;
	readonly labels: readonly string[];
	readonly held: number;
	readonly state: "alive" | "draining" | "silent";
	/** Seconds since it last renewed its lease. */
	readonly seconds: number;
}

interface QueueStatus {
	readonly name: string;
	readonly waiting: number;
	readonly active: number;
	/** Seconds that the oldest waiting job has waited; null: none waits. */
	readonly oldest: number | null;
}

export interface EngineStatus {
	readonly hosts: readonly HostStatus[];
	readonly queues: readonly QueueStatus[];
	readonly runs: readonly { readonly status: string; readonly count: number }[];
	readonly limits: readonly LimitStatus[];
	/** Runs whose job is held back, or that no host that is up may take, with the reason. */
	readonly held: readonly { readonly id: string; readonly why: string }[];
	/** Runs that were given up and are not parked yet. */
	readonly dead: number;
}

const hostsText = `
SELECT h.id::text, h.name, h.pid, h.version, h.slots, h.labels, (SELECT count(*)::int FROM chronicle.run r WHERE r.holder = h.id AND r.parent IS NULL) AS held,
	CASE WHEN h.beat_at <= now() - h.lease_ms * interval '1 millisecond' THEN 'silent' WHEN h.draining THEN 'draining' ELSE 'alive' END AS state,
	extract(epoch FROM now() - h.beat_at)::float8 AS seconds
FROM chronicle.host h WHERE h.slots > 0 ORDER BY h.name, h.pid`;

type Jobs = Omit<QueueStatus, "name">;

const noJobs: Jobs = { waiting: 0, active: 0, oldest: null };

/**
 * Unfinished jobs by queue. pg-boss's own function stores the figures, which a reader may not, or gives those of the last maintenance.
 */
async function countJobs(database: Database): Promise<ReadonlyMap<string, Jobs>> {
	const { rows } = await database.query<QueueStatus>(
		`SELECT name, count(*) FILTER (WHERE state <> 'active')::int AS waiting, count(*) FILTER (WHERE state = 'active')::int AS active,
			extract(epoch FROM now() - min(greatest(created_on, start_after)) FILTER (WHERE state <> 'active' AND start_after <= now()))::int AS oldest
		FROM ${JOBS_SCHEMA}.job WHERE state IN ('created', 'retry', 'active') GROUP BY name`,
	);
	return new Map(rows.map(({ name, ...jobs }) => [name, jobs]));
}

/** Reads the status. */
export async function readStatus(database: Database): Promise<EngineStatus> {
	const boss = await database.boss();
	const hosts = await database.query<HostStatus>(hostsText);
	const runs = await database.query<{ status: string; count: number }>(
		`SELECT CASE WHEN status = 'running' AND holder IS NULL THEN 'queued' ELSE status END AS status, count(*)::int AS count
		FROM chronicle.run WHERE parent IS NULL GROUP BY 1 ORDER BY 1`,
	);
	const projects = await database.query<{ name: string }>("SELECT name FROM chronicle.project ORDER BY name");
	const dead = new Set(projects.rows.map((project) => deadQueue(project.name)));
	const jobs = await countJobs(database);
	const all = (await boss.getQueues()).map(({ name }) => ({ name, ...(jobs.get(name) ?? noJobs) }));
	const queues = all.filter(({ name }) => !dead.has(name) && !name.startsWith("__"));
	const failed = all.filter(({ name }) => dead.has(name)).reduce((sum, one) => sum + one.waiting + one.active, 0);
	const [limits, held] = [await readLimits(database), await readHeld(database)];
	return { hosts: hosts.rows, queues, runs: runs.rows, limits, held, dead: failed };
}

type HeldRow = QueuedRun & { readonly waits: string | null };

async function readHeld(database: Database): Promise<EngineStatus["held"]> {
	const { rows } = await database.query<HeldRow>(
		`SELECT ${queuedColumns}, r.waits FROM chronicle.run r
		WHERE r.job IS NOT NULL AND r.holder IS NULL AND (r.waits IS NOT NULL OR r.needs <> '{}' OR r.queue LIKE '%/%/%')
		ORDER BY r.updated_at LIMIT 50`,
	);
	const offers = await readOffers(database);
	return rows.flatMap((row) => {
		const { text, missing } = explainWait(row, offers);
		const why = row.waits ?? (missing ? text : undefined);
		return why === undefined ? [] : [{ id: row.id, why }];
	});
}

/**
 * Asks hosts to take no more runs: all, or the one with this name or whose id begins so. Gives the ids of those asked; `ambiguous`: several have the
 * name, and none was asked.
 */
export async function drainHosts(
	database: Database,
	named: string | undefined,
): Promise<{ readonly asked: readonly string[] } | { readonly ambiguous: readonly string[] }> {
	const { rows } = await database.query<{ id: string }>(
		`SELECT id::text FROM chronicle.host WHERE slots > 0 AND ($1::text IS NULL OR name = $1 OR starts_with(id::text, $1))
		AND beat_at > now() - lease_ms * interval '1 millisecond' ORDER BY id`,
		[named ?? null],
	);
	const ids = rows.map(({ id }) => id);
	if (named !== undefined && ids.length > 1) return { ambiguous: ids };
	await database.query("UPDATE chronicle.host SET draining = true WHERE id::text = ANY($1)", [ids]);
	return { asked: ids };
}
