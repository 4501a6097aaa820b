// Reads the status of an engine: hosts with their slots, queues with their jobs, runs that do not continue, and why.
import type { Run } from "@pi-chronicle/core/machine";
import { type Database, JOBS_SCHEMA } from "./database.ts";
import type { HostFigures } from "./host.ts";
import { deadQueue } from "./jobs.ts";
import { type LimitKind, type LimitStatus, readLimits } from "./quota.ts";
import { explainWait, type HostOffer, minFreeBytes, readOffers, type WaitReason } from "./routing.ts";
import { loadRow, type RunRow, runColumns, runTables } from "./rows.ts";
import { unsent } from "./settle.ts";

interface HostStatus {
	readonly id: string;
	readonly name: string;
	readonly pid: number;
	readonly version: string;
	readonly slots: number;
	readonly labels: readonly string[];
	readonly held: number;
	/** `full`: it takes no runs, because its disk is full. */
	readonly state: "alive" | "draining" | "full" | "silent";
	/** Seconds since it last renewed its lease. */
	readonly seconds: number;
	readonly figures: Readonly<Partial<HostFigures>>;
}

interface QueueStatus {
	readonly name: string;
	readonly waiting: number;
	readonly active: number;
	/** Seconds that the oldest waiting job has waited; null: none waits. */
	readonly oldest: number | null;
}

/** A run that does not continue by itself. */
interface StuckRun {
	readonly id: string;
	readonly project: string;
	readonly status: string;
	/** Since when, ISO 8601. */
	readonly since: string;
	/** It waits for its user, as it says itself. */
	readonly run?: Run;
	/** Otherwise: why no host continues it. */
	readonly why?: string;
	readonly help?: WaitReason["help"];
}

const maxStuck = 20;

/** Spend of the runs of a project, with their children. */
interface ProjectSpend {
	readonly project: string;
	readonly costUsd: number;
	readonly tokens: number;
}

/** Notices of the runs that exist on a channel. */
interface ChannelStatus extends Pick<QueueStatus, "name" | "waiting" | "oldest"> {
	readonly failed: number;
	readonly sent: number;
}

export interface EngineStatus {
	readonly hosts: readonly HostStatus[];
	readonly queues: readonly QueueStatus[];
	readonly runs: readonly { readonly status: string; readonly count: number }[];
	readonly spend: readonly ProjectSpend[];
	readonly limits: readonly LimitStatus[];
	readonly channels: readonly ChannelStatus[];
	/** Runs that do not continue by themselves, those that have waited longest first; at most {@link maxStuck}. */
	readonly stuck: readonly StuckRun[];
	/** Runs that were given up and are not parked yet. */
	readonly dead: number;
}

const hostsText = `
SELECT h.id::text, h.name, h.pid, h.version, h.slots, h.labels, (SELECT count(*)::int FROM chronicle.run r WHERE r.holder = h.id AND r.parent IS NULL) AS held,
	CASE WHEN h.beat_at <= now() - h.lease_ms * interval '1 millisecond' THEN 'silent' WHEN h.draining THEN 'draining'
		WHEN (h.figures->>'diskFree')::float8 < ${minFreeBytes} THEN 'full' ELSE 'alive' END AS state, h.figures,
	extract(epoch FROM now() - h.beat_at)::float8 AS seconds
FROM chronicle.host h WHERE h.slots > 0 ORDER BY h.name, h.pid`;

const channelsText = `
SELECT c.name, count(*) FILTER (WHERE state IN ('due', 'claimed', 'started'))::int AS waiting, count(*) FILTER (WHERE state = 'failed')::int AS failed,
	count(*) FILTER (WHERE state = 'sent')::int AS sent,
	extract(epoch FROM now() - min(COALESCE(first, at)) FILTER (WHERE state IN ('due', 'claimed', 'started')))::int AS oldest
FROM (SELECT id, name FROM chronicle.channel UNION SELECT channel, name FROM chronicle.notice) c
	LEFT JOIN chronicle.notice n ON n.channel = c.id AND n.name = c.name GROUP BY c.name ORDER BY c.name`;

const noJobs = { waiting: 0, active: 0, oldest: null };

/**
 * Unfinished jobs that are current, by queue, with the runs that no host has sent a job for yet. pg-boss's own function stores the figures, which a
 * reader may not, or gives those of the last maintenance.
 */
async function countJobs(database: Database): Promise<ReadonlyMap<string, Omit<QueueStatus, "name">>> {
	const { rows } = await database.query<QueueStatus>(
		`SELECT name, count(*) FILTER (WHERE state <> 'active')::int AS waiting, count(*) FILTER (WHERE state = 'active')::int AS active,
			extract(epoch FROM now() - min(greatest(created_on, start_after)) FILTER (WHERE state <> 'active' AND start_after <= now()))::int AS oldest
		FROM (
			SELECT name, state::text, created_on, start_after FROM ${JOBS_SCHEMA}.job j WHERE state IN ('created', 'retry', 'active')
				AND (data->>'run' IS NULL OR EXISTS (SELECT FROM chronicle.run r WHERE r.id::text = data->>'run' AND (r.job = j.id OR name LIKE '${deadQueue("%")}')))
			UNION ALL SELECT queue, 'created', updated_at::timestamptz, now() FROM chronicle.run r WHERE ${unsent}
		) jobs GROUP BY name`,
	);
	return new Map(rows.map(({ name, ...jobs }) => [name, jobs]));
}

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
	const all = (await boss.getQueues()).map(({ name }) => ({ name, ...noJobs, ...jobs.get(name) }));
	const queues = all.filter(({ name }) => !dead.has(name) && !name.startsWith("__"));
	const failed = all.filter(({ name }) => dead.has(name)).reduce((sum, one) => sum + one.waiting + one.active, 0);
	const spend = await database.query<ProjectSpend>(
		`SELECT project, sum(cost_usd)::float8 AS "costUsd", sum(tokens)::float8 AS tokens
		FROM chronicle.run WHERE parent IS NULL GROUP BY project ORDER BY project`,
	);
	const limits = await readLimits(database);
	const channels = (await database.query<ChannelStatus>(channelsText)).rows;
	const stuck = await readStuck(database, limits);
	return { hosts: hosts.rows, queues, runs: runs.rows, spend: spend.rows, limits, channels, stuck, dead: failed };
}

type StuckRow = RunRow & { readonly status: string; readonly updated_at: string };

async function readStuck(database: Database, limits: readonly LimitStatus[]): Promise<readonly StuckRun[]> {
	const { rows } = await database.query<StuckRow>(
		`SELECT ${runColumns}, r.status, r.updated_at FROM ${runTables}
		WHERE r.status NOT IN ('done', 'failed', 'aborted') AND (r.parked OR r.job IS NOT NULL OR r.parent IS NULL)
			AND (h.id IS NULL OR h.beat_at <= now() - h.lease_ms * interval '1 millisecond')
		ORDER BY r.updated_at LIMIT 200`,
	);
	const offers = rows.length === 0 ? [] : await readOffers(database);
	const stuck: StuckRun[] = [];
	for (const row of rows) {
		const why = await explainStuck(database, row, offers, limits);
		const { id, project, status, updated_at: since } = row;
		if (why) stuck.push({ id, project, status, since, ...why });
		if (stuck.length === maxStuck) break;
	}
	return stuck;
}

/** Why a run that no host has does not continue; `undefined`: a host is about to take it. */
async function explainStuck(
	database: Database,
	row: StuckRow,
	offers: readonly HostOffer[],
	limits: readonly LimitStatus[],
): Promise<Pick<StuckRun, "run" | "why" | "help"> | undefined> {
	const wait = explainWait(row, offers);
	const isQueued = (row.job !== null || row.parent === null) && !row.parked;
	if (isQueued && row.waits === null && row.holder === null && !wait.missing) return undefined;
	const run = await loadRow(database, row);
	if (run === "newer")
		return { why: "A newer version created it.", help: { text: "Update pi-chronicle on the hosts." } };
	if (run === "corrupt")
		return {
			why: "Its events cannot be read.",
			help: { text: "Restore the database from a backup, or remove the run." },
		};
	if (!isQueued || row.waiting) return { run };
	if (wait.missing) return { why: wait.text, help: wait.help };
	const remedy = run.conditions.find(({ condition }) => condition === "host")?.remedy;
	const full = limits.find(({ kind, name, waiting }) => waiting > 0 && nameIn(row, kind) === name);
	const help = remedy !== undefined ? { text: remedy } : full && { command: `engine limit ${full.kind} ${full.name}` };
	return {
		why: row.waits ?? "Its host is silent; another takes it once its lease has expired.",
		help,
	};
}

/** What a limit of this kind counts the run for. */
function nameIn({ project, queue, provider }: RunRow, kind: LimitKind): string | null | undefined {
	return { project, queue: queue.split("/")[1], provider }[kind];
}

interface DrainedHost {
	readonly id: string;
	readonly name: string;
}

/**
 * Asks hosts to take no more runs: all, or the one with this name or whose id begins so. Gives those asked; `ambiguous`: the ids of several that have
 * the name, of which none was asked.
 */
export async function drainHosts(
	database: Database,
	named: string | undefined,
): Promise<{ readonly asked: readonly DrainedHost[] } | { readonly ambiguous: readonly string[] }> {
	const { rows } = await database.query<{ id: string; name: string }>(
		`SELECT id::text, name FROM chronicle.host WHERE slots > 0 AND ($1::text IS NULL OR name = $1 OR starts_with(id::text, $1))
		AND beat_at > now() - lease_ms * interval '1 millisecond' ORDER BY name, id`,
		[named ?? null],
	);
	const exact = rows.filter(({ id, name }) => id === named || name === named);
	const chosen = exact.length > 0 ? exact : rows;
	const ids = chosen.map(({ id }) => id);
	if (named !== undefined && ids.length > 1) return { ambiguous: ids };
	await database.query("UPDATE chronicle.host SET draining = true WHERE id::text = ANY($1)", [ids]);
	return { asked: chosen };
}
