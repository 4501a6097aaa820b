// A run as rows: how its folded state becomes the row of `chronicle.run`, and how rows become a run again.
import {
	encodeRun,
	foldEvent,
	hostNeed,
	isParked,
	type LeaseHolder,
	type LedgerEvent,
	type Run,
	SCHEMA_VERSION,
} from "../../core/index.ts";
import { summarizeRun } from "../ledger/index.ts";
import type { Sql } from "./database.ts";
import { type QueuedRun, queuedColumns } from "./jobs.ts";
import { isOutage } from "./outage.ts";
import { isFolderBelow, isObjectName, parseEvent, parseStoredRun } from "./untrusted.ts";

/** The columns that follow from the events; they change with every append. */
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

/** Values of {@link foldedColumns}. */
export function foldedValues(run: Run): readonly unknown[] {
	const { template, task, costUsd, tokens } = summarizeRun(run, undefined);
	const { labels, commandsToo } = hostNeed(run);
	return [
		...[run.seq, run.visit, isParked(run), run.status, run.state, run.updatedAt, costUsd, tokens, template, task],
		...[labels, commandsToo, isDelegated(run)],
	];
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
	/** The run whose child it is. */
	readonly parent: string | null;
	/** The run whose refs hold its snapshots. */
	readonly trees: string;
	/** The snapshot that the folder of a child started with; null: not known yet. */
	readonly base: string | null;
	readonly body: string;
	readonly body_seq: number;
	readonly host_name: string | null;
	readonly host_pid: number | null;
	readonly host_started: string | null;
	readonly alive: boolean | null;
}

export const runColumns = `${queuedColumns}, r.provider, r.schema_version, r.seq, r.fence, r.holder, r.job, r.job_queue, r.attempt, r.head, r.head_parent, r.folder, r.conversations, r.visit,
	r.claimed_visit, r.suspect, r.parked, r.waits, r.parent, COALESCE(r.trees, r.id)::text AS trees, r.base, r.body, r.body_seq, h.name AS host_name, h.pid AS host_pid, h.started AS host_started,
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

/** The row of a run of the project, locked until the transaction ends; `undefined`: there is none. */
export async function lockRow(tx: Sql, project: string, id: string): Promise<RunRow | undefined> {
	if (!(await lockRun(tx, id))) return undefined;
	const { rows } = await tx.query<RunRow>(`SELECT ${runColumns} FROM ${runTables} WHERE r.id = $1 AND r.project = $2`, [
		id,
		project,
	]);
	return rows[0];
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
	/** The run whose refs hold its snapshots. */
	readonly trees: string;
	/** As in {@link RunRow}. */
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

/** The run of a row with the events after its stored state; a reason where this version cannot read it. */
export async function loadRow(sql: Sql, row: RunRow): Promise<Run | "newer" | "corrupt"> {
	if (row.schema_version > SCHEMA_VERSION) return "newer";
	if (!hasSoundNames(row)) return "corrupt";
	let run = parseStoredRun(row.body, row.id);
	if (!run) return "corrupt";
	try {
		for await (const event of readEventRows(sql, row.id, row.body_seq)) {
			if (event.seq !== run.seq + 1) return "corrupt";
			run = foldEvent(run, event);
		}
	} catch (error) {
		// An error of the database has a code, or is an outage.
		if (isOutage(error) || (error as { code?: unknown }).code !== undefined) throw error;
		return "corrupt";
	}
	return run;
}

/** Whether what a row names for git are objects and a folder. */
function hasSoundNames({ head, head_parent, base, folder, conversations }: RunRow): boolean {
	const objects = [head, head_parent, base, conversations === "" ? null : conversations];
	return objects.every((name) => name === null || isObjectName(name)) && (folder === null || isFolderBelow(folder));
}

/** The stored form of a new run's state. */
export function storedText(run: Run): string {
	return JSON.stringify(encodeRun(run));
}

const pageSize = 1000;

/** All events after `after`, in order, read in pages. */
export async function* readEventRows(sql: Sql, id: string, after: number): AsyncGenerator<LedgerEvent> {
	for (let from = after; ; ) {
		const { rows } = await sql.query<{ seq: number; body: string }>(
			"SELECT seq, body FROM chronicle.event WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3",
			[id, from, pageSize],
		);
		for (const { seq, body } of rows) {
			from = seq;
			const event = parseEvent(body);
			if (!event) throw new Error(`Event ${seq} of the run ${id} cannot be read.`);
			yield event;
		}
		if (rows.length < pageSize) return;
	}
}
