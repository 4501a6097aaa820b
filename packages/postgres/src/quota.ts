// Limits on how many runs of a project, queue or model provider hosts hold at once, and how many they take per minute. Counting and taking are
// atomic: hosts take limited runs one after another. Each claim counts for a minute, whatever becomes of the run.
import type { Database, Sql } from "./database.ts";
import type { RunRow } from "./rows.ts";

export type LimitKind = "project" | "queue" | "provider";

export const limitKinds: readonly LimitKind[] = ["project", "queue", "provider"];

/** A limit holds a run back; the message names it. */
export class LimitReached extends Error {
	readonly kind: LimitKind;

	constructor({ kind, name, most, perMinute, held }: LimitLoad) {
		const runs = `runs ${scopeTexts[kind](name)}`;
		const limit = most !== null && held >= most ? `${most} ${runs} at once` : `${perMinute} ${runs} a minute`;
		super(`Waits for the limit of ${limit}.`);
		this.kind = kind;
	}
}

/** A limit with the runs that wait because of it. */
export interface LimitStatus {
	readonly kind: LimitKind;
	readonly name: string;
	/** Runs at once. */
	readonly most: number | null;
	/** Runs taken in a minute. */
	readonly perMinute: number | null;
	/** Runs that hosts have now. */
	readonly held: number;
	/** Runs that hosts took in the last minute. */
	readonly taken: number;
	readonly waiting: number;
}

type LimitLoad = Omit<LimitStatus, "waiting">;

const loadColumns = 'q.kind, q.name, q.most, q.per_minute AS "perMinute", l.held, l.taken';
const loads = "chronicle.quota q CROSS JOIN LATERAL chronicle.load(q.kind, q.name) l";

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
	const values = [project, queue.split("/")[1], provider];
	if ((await tx.query(`SELECT FROM chronicle.quota WHERE ${ofRun}`, values)).count === 0) return;
	await lockLimits(tx);
	const { rows } = await tx.query<LimitLoad>(`SELECT ${loadColumns} FROM ${loads} WHERE ${ofRun}`, values);
	const full = limitKinds.flatMap((kind) => rows.filter((load) => load.kind === kind)).find(isFull);
	if (full) throw new LimitReached(full);
	if (rows.some((load) => load.perMinute !== null))
		await tx.query("INSERT INTO chronicle.claim (project, queue, provider) VALUES ($1, $2, $3)", values);
}

/** Whether runs wait because of it. */
function isFull({ most, perMinute, held, taken }: LimitLoad): boolean {
	return (most !== null && held >= most) || (perMinute !== null && taken >= perMinute);
}

interface NewLimit extends Pick<LimitStatus, "kind" | "name"> {
	readonly most?: number | undefined;
	readonly perMinute?: number | undefined;
}

/** Sets a limit; removes it without `most` and `perMinute`. */
export async function setLimit(sql: Sql, { kind, name, most, perMinute }: NewLimit): Promise<void> {
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

/** All limits. `waiting` counts the runs that the caller sees. */
export async function readLimits(database: Database): Promise<readonly LimitStatus[]> {
	const { rows } = await database.query<LimitStatus>(
		`SELECT ${loadColumns}, (
			SELECT count(*)::int FROM chronicle.run WHERE parent IS NULL AND holder IS NULL AND (job IS NOT NULL OR NOT parked)
			AND q.name = CASE q.kind WHEN 'project' THEN project WHEN 'queue' THEN split_part(queue, '/', 2) ELSE provider END
		) AS waiting FROM ${loads} ORDER BY q.kind, q.name`,
	);
	return rows.map((limit) => (isFull(limit) ? limit : { ...limit, waiting: 0 }));
}
