// Limits on how many runs of a project, queue or model provider hosts hold at once, and how many they take per minute.
// Q1 counting and taking are atomic: hosts take limited runs one after another; Q2 each claim counts for a minute, whatever becomes of the
// run.
import type { Database, Sql } from "./database.ts";
import type { RunRow } from "./rows.ts";

/** What a limit applies to. */
export type LimitKind = "project" | "queue" | "provider";

export const limitKinds: readonly LimitKind[] = ["project", "queue", "provider"];

/** A limit holds a run back; the message names it. */
export class LimitReached extends Error {
	readonly kind: LimitKind;

	constructor(kind: LimitKind, limit: string) {
		super(`Waits for the limit of ${limit}.`);
		this.kind = kind;
	}
}

interface Limit {
	readonly kind: LimitKind;
	readonly name: string;
	/** Runs at once. */
	readonly most: number | null;
	/** Runs taken in a minute. */
	readonly per_minute: number | null;
}

interface LimitLoad extends Limit {
	/** Runs that hosts have now. */
	readonly held: number;
	/** Runs that hosts took in the last minute. */
	readonly taken: number;
}

const scopeTexts: Readonly<Record<LimitKind, (name: string) => string>> = {
	project: (name) => `of the project ${name}`,
	queue: (name) => `of the queue ${name}`,
	provider: (name) => `with ${name}`,
};

const ofRun = "(kind, name) IN (('project', $1), ('queue', $2), ('provider', $3))";
const lockNumber = 7_424_032;

/** Waits until no other host takes a run, if there are limits: two that take runs at once could change their order. */
export async function lockLimits(tx: Sql): Promise<void> {
	await tx.query("SELECT pg_advisory_xact_lock($1) WHERE EXISTS (SELECT FROM chronicle.quota)", [lockNumber]);
}

/** Throws `LimitReached` if the run of a locked row must wait; otherwise the run counts as taken. */
export async function admitRun(tx: Sql, { project, queue, provider }: RunRow): Promise<void> {
	const [, plain = ""] = queue.split("/");
	const values = [project, plain, provider];
	const { rows: limits } = await tx.query<Limit>(`SELECT * FROM chronicle.quota WHERE ${ofRun}`, values);
	if (limits.length === 0) return;
	await tx.query("SELECT pg_advisory_xact_lock($1)", [lockNumber]);
	const { rows: loads } = await tx.query<LimitLoad>(
		`SELECT q.*, l.held, l.taken FROM chronicle.quota q CROSS JOIN LATERAL chronicle.load(q.kind, q.name) l WHERE ${ofRun}`,
		values,
	);
	const full = limitKinds.flatMap((kind) => loads.filter((load) => load.kind === kind)).find(isFull);
	if (full) throw new LimitReached(full.kind, fullText(full));
	if (loads.some((load) => load.per_minute !== null))
		await tx.query("INSERT INTO chronicle.claim (project, queue, provider) VALUES ($1, $2, $3)", values);
}

/** Whether runs wait because of it. */
function isFull({ most, per_minute, held, taken }: LimitLoad): boolean {
	return (most !== null && held >= most) || (per_minute !== null && taken >= per_minute);
}

function fullText({ kind, name, most, per_minute, held }: LimitLoad): string {
	const isHeld = most !== null && held >= most;
	return isHeld
		? `${most} runs ${scopeTexts[kind](name)} at once`
		: `${per_minute} runs ${scopeTexts[kind](name)} a minute`;
}

/** Sets or removes a limit. `most`: at once; `perMinute`: taken in a minute; neither: no limit. */
export async function setLimit(
	sql: Sql,
	{
		kind,
		name,
		most,
		perMinute,
	}: { kind: LimitKind; name: string; most?: number | undefined; perMinute?: number | undefined },
): Promise<void> {
	if (most === undefined && perMinute === undefined) {
		await sql.query("DELETE FROM chronicle.quota WHERE kind = $1 AND name = $2", [kind, name]);
		return;
	}
	await sql.query(
		"INSERT INTO chronicle.quota VALUES ($1, $2, $3, $4) ON CONFLICT (kind, name) DO UPDATE SET most = EXCLUDED.most, per_minute = EXCLUDED.per_minute",
		[kind, name, most ?? null, perMinute ?? null],
	);
}

/** Whether there is a project, or a queue of any project, of this name. A provider is known to pi alone. */
export async function isLimitable(database: Database, kind: LimitKind, name: string): Promise<boolean> {
	if (kind === "provider") return true;
	if (kind === "project")
		return (await database.query("SELECT FROM chronicle.project WHERE name = $1", [name])).count > 0;
	const boss = await database.boss();
	return (await boss.getQueues()).some((queue) => queue.name.split("/")[1] === name);
}

/** A limit with the runs that wait because of it. */
export interface LimitStatus {
	readonly kind: LimitKind;
	readonly name: string;
	readonly most: number | null;
	readonly perMinute: number | null;
	readonly held: number;
	readonly taken: number;
	readonly waiting: number;
}

/** All limits. `waiting` counts the runs that the caller sees. */
export async function readLimits(database: Database): Promise<readonly LimitStatus[]> {
	const { rows } = await database.query<LimitLoad & { readonly queued: number }>(
		`SELECT q.*, l.held, l.taken, (
			SELECT count(*)::int FROM chronicle.run WHERE parent IS NULL AND holder IS NULL AND (job IS NOT NULL OR NOT parked)
			AND q.name = CASE q.kind WHEN 'project' THEN project WHEN 'queue' THEN split_part(queue, '/', 2) ELSE provider END
		) AS queued
		FROM chronicle.quota q CROSS JOIN LATERAL chronicle.load(q.kind, q.name) l ORDER BY q.kind, q.name`,
	);
	return rows.map((load) => {
		const { kind, name, most, per_minute: perMinute, held, taken } = load;
		return { kind, name, most, perMinute, held, taken, waiting: isFull(load) ? load.queued : 0 };
	});
}
