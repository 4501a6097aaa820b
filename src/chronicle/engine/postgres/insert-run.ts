// How a run begins: its row and its first event, and its first job where it is left to the hosts, in one transaction.
import {
	type Created,
	type HeldLedger,
	hostNeed,
	type Result,
	type Run,
	SCHEMA_VERSION,
	type StoreFailure,
	startRun,
} from "../../core/index.ts";
import { redactEvent, stampEvent, storeFailure } from "../ledger/index.ts";
import type { Sql } from "./database.ts";
import { HeldRow } from "./held.ts";
import { sendJob } from "./jobs.ts";
import type { PostgresStoreOptions, StoreParts } from "./parts.ts";
import { foldedColumns, foldedValues, type RunRow, readEventRows, runColumns, runTables, storedText } from "./rows.ts";
import type { RunStart } from "./run-snapshot.ts";

const inserted = [
	...[
		"id",
		"project",
		"queue",
		"priority",
		"provider",
		"schema_version",
		"head",
		"head_parent",
		"folder",
		"conversations",
		"body",
		"body_seq",
		"holder",
		"fence",
	],
	...["parent", "trees", "child", "schedule", ...foldedColumns],
];
const insertRunText = `
INSERT INTO chronicle.run (${inserted.join(", ")}) VALUES (${inserted.map((_, index) => `$${index + 1}`).join(", ")})
ON CONFLICT (id) DO NOTHING`;

/** The first event in stored form, and the run that it creates. */
export function firstEvent({ clock, redact }: StoreParts, first: Created, fence: number) {
	const event = stampEvent(redactEvent(first, redact), { seq: 1, at: new Date(clock.now()).toISOString(), fence });
	return { event, run: startRun(event) };
}

const noCommands = { waiting: false, aborting: false, delegates: false, suspected: false };
export const unreadableTemplate = storeFailure(
	"corrupt",
	"The template's definition cannot be read.",
	"Check the template.",
);

/** The provider whose limits hold for the run: of the model that it was started with, otherwise of the one that its first state names. */
function providerOf(run: Run): string | undefined {
	const [provider, id] = (run.model ?? run.plan.states.get(run.state)?.model ?? "").split("/", 2);
	return id === undefined ? undefined : provider;
}

/** Adds the row of a new run and its first event; `false`: the id is taken. */
export async function insertRow(
	tx: Sql,
	{ project, queue, priority = 0, host, schedule }: Omit<PostgresStoreOptions, "creates">,
	{
		event,
		run,
		fence,
		start,
		trees,
	}: { event: object; run: Run; fence: number; start: RunStart | null; trees?: string },
): Promise<boolean> {
	const { parent } = run;
	const child = parent ? JSON.stringify({ visit: parent.visit, index: parent.index, name: parent.name }) : null;
	const made = await tx.query(insertRunText, [
		...[run.id, project, queue, priority, providerOf(run) ?? null, SCHEMA_VERSION],
		...[start?.head ?? null, start?.parent ?? null, start?.folder ?? null, "", storedText(run), 1],
		...[fence > 0 ? host.id : null, fence, parent?.run ?? null, trees ?? null, child, schedule ?? null],
		...foldedValues(run),
	]);
	if (made.count === 0) return false;
	await tx.query("INSERT INTO chronicle.event (run, seq, body) VALUES ($1, 1, $2)", [run.id, JSON.stringify(event)]);
	return true;
}

const exists = (id: string) => storeFailure("exists", `The run ${id} already exists.`, "Use another id.");

async function heldRow(tx: Sql, options: PostgresStoreOptions, run: Run, fence: number): Promise<HeldRow> {
	const [row] = (await tx.query<RunRow>(`SELECT ${runColumns} FROM ${runTables} WHERE r.id = $1`, [run.id])).rows;
	if (!row) throw new Error("The new run is not visible to this user.");
	return new HeldRow({ ...options, row: { ...row, fence: 0 }, run, fence, job: undefined });
}

/** Creates a run: held by this host, or left to all with its first job. */
export async function insertRun(
	options: PostgresStoreOptions,
	first: Created,
): Promise<Result<HeldLedger, StoreFailure>> {
	const { database, host, project, queue, priority = 0, creates } = options;
	const isHeld = creates.kind === "held";
	const fence = isHeld ? 1 : 0;
	const { event, run } = firstEvent(options, first, fence);
	if (!run) return unreadableTemplate;
	const base = creates.kind === "submitted" ? await creates.base(run) : { ok: true as const, value: null };
	if (!base.ok) return base;
	if (isHeld) await host.register();
	return database.transaction(async (tx) => {
		if (!(await insertRow(tx, options, { event, run, fence, start: base.value }))) return exists(run.id);
		if (isHeld) return { ok: true, value: await heldRow(tx, options, run, fence) };
		const { labels: needs, commandsToo: bound } = hostNeed(run);
		await sendJob(database, tx, { id: run.id, project, queue, priority, needs, bound, ...noCommands });
		return { ok: true, value: submittedLedger(options, run) };
	});
}

/** The ledger of a run that was left to the hosts: it can be read, and is not held here. */
function submittedLedger({ database, folderOf }: PostgresStoreOptions, run: Run): HeldLedger {
	const left = storeFailure("fenced", "The hosts of the engine do this run.", "Send it a command instead.");
	return {
		run,
		repairs: [],
		holder: undefined,
		place: `the events of run ${run.id} in the database ${database.name}`,
		folder: folderOf(run.id),
		events: (after = 0) => readEventRows(database, run.id, after),
		fence: 0,
		holdsLease: async () => false,
		leaseLoss: async () => left.failure,
		append: async () => left,
		checkpoint: async () => left,
		onPosted: async () => {},
		releaseLease: async () => {},
	};
}
