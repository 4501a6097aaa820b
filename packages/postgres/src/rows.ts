// A run as rows: how its folded state becomes the row of `chronicle.run`, and how rows become a run again.
import {
	encodeRun,
	foldEvent,
	hostNeed,
	isParked,
	type LedgerEvent,
	type Run,
	SCHEMA_VERSION,
	startRun,
} from "@pi-chronicle/core/machine";
import type { LeaseHolder } from "@pi-chronicle/core/ports";
import { isFolderBelow, isObjectName, summarizeRun } from "pi-chronicle/local";
import type { Sql } from "./database.ts";
import { isOutage } from "./database-failure.ts";
import { type QueuedRun, queuedColumns } from "./jobs.ts";
import { isFirstEvent, parseEvent, parseStoredRun } from "./untrusted.ts";

/** The columns that follow from the events. */
export const foldedColumns = [
	"seq",
	"visit",
	"parked",
	"status",
	"state",
	"updated_at",
	"cost_usd",
	"tokens",
	"template",
	"task",
	"needs",
	"bound",
	"delegates",
] as const;

/** Values of {@link foldedColumns}, by column. */
export function foldedValues(run: Run): Readonly<Record<(typeof foldedColumns)[number], unknown>> {
	const { template, task, costUsd, tokens } = summarizeRun(run, undefined);
	const { seq, visit, status, state, updatedAt } = run;
	const { labels: needs, commandsToo: bound } = hostNeed(run);
	return {
		...{ seq, visit, parked: isParked(run), status, state, updated_at: updatedAt, cost_usd: costUsd, tokens },
		...{ template, task, needs, bound, delegates: isDelegated(run) },
	};
}

/** Whether the children of a run do its work, so that it needs no slot. */
export function isDelegated({ stage, children }: Run): boolean {
	return stage.kind === "children" && children?.phase !== "joining";
}

/** The row of a run with its holder; `alive`: the holder's lease has not expired. */
export interface RunRow extends QueuedRun {
	readonly provider: string | null;
	readonly schema_version: number;
	readonly seq: number;
	readonly fence: number;
	readonly holder: string | null;
	readonly job: string | null;
	/** The queue of that job; null: `queue`. */
	readonly job_queue: string | null;
	readonly attempt: number;
	readonly head: string | null;
	/** The commit that the working folder was at when `head` was taken; null: none. */
	readonly head_parent: string | null;
	/** The folder that the run works in, below the repository's root; null: not known (runs of earlier versions). */
	readonly folder: string | null;
	/** The commit with its conversations; empty: there are none; null: not known (runs of earlier versions). */
	readonly conversations: string | null;
	readonly visit: number;
	readonly claimed_visit: number;
	/** The fence of the holder whose host died with other runs; null: it is no suspect (see `suspects.ts`). */
	readonly suspect: number | null;
	readonly parked: boolean;
	readonly waits: string | null;
	readonly parent: string | null;
	/** The run whose refs hold its snapshots. */
	readonly trees: string;
	/** The snapshot that the folder of a child started with; null: not known yet. */
	readonly base: string | null;
	readonly host_name: string | null;
	readonly host_pid: number | null;
	readonly host_started: string | null;
	readonly alive: boolean | null;
}

export const runColumns = `${queuedColumns}, r.provider, r.schema_version, r.seq, r.fence, r.holder, r.job, r.job_queue, r.attempt, r.head, r.head_parent, r.folder, r.conversations, r.visit,
	r.claimed_visit, r.suspect, r.parked, r.waits, r.parent, COALESCE(r.trees, r.id)::text AS trees, r.base, h.name AS host_name, h.pid AS host_pid, h.started AS host_started,
	h.beat_at > now() - h.lease_ms * interval '1 millisecond' AS alive`;
export const runTables = "chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder";

/**
 * Locks the row of a run until the transaction ends; `false`: there is no such run, or, with `skip`, another transaction has locked it. It reads
 * nothing: a statement that waits for a lock keeps the snapshot from before, so it would not see a command that was posted meanwhile. What
 * depends on the lock belongs into a later statement.
 */
export async function lockRun(tx: Sql, id: string, skip = false): Promise<boolean> {
	const text = `SELECT FROM chronicle.run WHERE id = $1 FOR UPDATE${skip ? " SKIP LOCKED" : ""}`;
	return (await tx.query(text, [id])).count > 0;
}

/** The row of a run of the project, or of any project; `undefined`: there is none. */
export async function findRow(sql: Sql, id: string, project?: string): Promise<RunRow | undefined> {
	const text = `SELECT ${runColumns} FROM ${runTables} WHERE r.id = $1 AND r.project = COALESCE($2, r.project)`;
	return (await sql.query<RunRow>(text, [id, project ?? null])).rows[0];
}

/** The row of a run that was added in the same transaction. */
export async function addedRow(tx: Sql, id: string): Promise<RunRow> {
	const row = await findRow(tx, id);
	if (!row) throw new Error("The new run is not visible to this user.");
	return row;
}

/** The same, locked until the transaction ends. */
export async function lockRow(tx: Sql, project: string, id: string): Promise<RunRow | undefined> {
	return (await lockRun(tx, id)) ? findRow(tx, id, project) : undefined;
}

/** Selects a run and all runs below it as {@link FamilyRow}s, each before its children. */
export const familyText = `
WITH RECURSIVE family AS (
	SELECT id, trees, 0 AS level FROM chronicle.run WHERE id = $1
	UNION ALL SELECT r.id, r.trees, f.level + 1 FROM chronicle.run r JOIN family f ON r.parent = f.id
)
SELECT f.id::text, COALESCE(f.trees, f.id)::text AS trees, r.conversations FROM family f JOIN chronicle.run r USING (id) ORDER BY level`;

export interface FamilyRow {
	readonly id: string;
	readonly trees: string;
	readonly conversations: string | null;
}

/** Who holds the run of a row. One that lost its lease holds nothing. */
export function holderOf(
	row: Pick<RunRow, "holder" | "fence" | "host_name" | "host_pid" | "host_started" | "alive">,
): LeaseHolder | undefined {
	if (row.holder === null || row.alive !== true) return undefined;
	const { host_name: host, host_pid: pid, host_started: started, fence } = row;
	return { host: host ?? "", pid: pid ?? 0, started: started ?? "", fence, alive: "yes" };
}

/** The run of a row: its stored state, if there is one, with the events after that; a reason where this version cannot read it. */
export async function loadRow(sql: Sql, row: RunRow): Promise<Run | "newer" | "corrupt"> {
	if (row.schema_version > SCHEMA_VERSION) return "newer";
	if (!hasSoundNames(row)) return "corrupt";
	const { rows } = await sql.query<EventRow>(stateText, [row.id, pageSize]);
	const state = rows[0]?.seq === 0 ? rows.shift() : undefined;
	const stored = state && parseStoredRun(state.body, row.id);
	if (state && !stored) return "corrupt";
	try {
		return (await foldAfter(sql, row.id, stored, rows)) ?? "corrupt";
	} catch (error) {
		// An error of the database has a code, or is an outage.
		if (isOutage(error) || (error as { code?: unknown }).code !== undefined) throw error;
		return "corrupt";
	}
}

/** The stored state of a run, as event 0, with the first events after it. */
const stateText = `
WITH stored AS (SELECT seq, body FROM chronicle.state WHERE run = $1)
SELECT 0 AS seq, body FROM stored UNION ALL
(SELECT seq, body FROM chronicle.event WHERE run = $1 AND seq > COALESCE((SELECT seq FROM stored), 0) ORDER BY seq LIMIT $2)
ORDER BY seq`;

/** The run after all its events, of which `page` are the first after `stored`; `undefined`: they are not complete, or are none of this run. */
async function foldAfter(
	sql: Sql,
	id: string,
	stored: Run | undefined,
	page: readonly EventRow[],
): Promise<Run | undefined> {
	let run = stored;
	for await (const event of readEventRows(sql, id, stored?.seq ?? 0, page)) {
		if (event.seq !== (run?.seq ?? 0) + 1) return undefined;
		run = run ? foldEvent(run, event) : beginRow(event, id);
		if (!run) return undefined;
	}
	return run;
}

/** Whether what a row names for git are objects and a folder. */
function hasSoundNames({ head, head_parent, base, folder, conversations }: RunRow): boolean {
	const objects = [head, head_parent, base, conversations === "" ? null : conversations];
	return objects.every((name) => name === null || isObjectName(name)) && (folder === null || isFolderBelow(folder));
}

/** The run that the first event creates; `undefined`: it is no first event of this run. */
function beginRow(event: LedgerEvent, id: string): Run | undefined {
	return event.kind === "created" && event.id === id && isFirstEvent(event) ? startRun(event) : undefined;
}

/** The stored form of a new run's state. */
export function storedText(run: Run): string {
	return JSON.stringify(encodeRun(run));
}

const pageSize = 1000;

interface EventRow {
	readonly seq: number;
	readonly body: string;
}

/** All events after `after`, in order, read in pages; `page`: the first, if it is known. */
export async function* readEventRows(
	sql: Sql,
	id: string,
	after: number,
	page?: readonly EventRow[],
): AsyncGenerator<LedgerEvent> {
	for (let from = after, rows = page; ; rows = undefined) {
		rows ??= (await sql.query<EventRow>(pageText, [id, from, pageSize])).rows;
		for (const { seq, body } of rows) {
			from = seq;
			const event = parseEvent(body);
			if (!event) throw new Error(`Event ${seq} of the run ${id} cannot be read.`);
			yield event;
		}
		if (rows.length < pageSize) return;
	}
}

const pageText = "SELECT seq, body FROM chronicle.event WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3";
