// How a run begins: its row and its first event, in one transaction. A host sends the first job of one that is left to the hosts.
import { type Created, type Run, SCHEMA_VERSION, startRun } from "@pi-chronicle/core/machine";
import type { HeldLedger, Result, StoreFailure } from "@pi-chronicle/core/ports";
import type { RunStart } from "pi-chronicle/local";
import { redactEvent, stampEvent, storeFailure } from "pi-chronicle/local";
import { notify, type Sql } from "./database.ts";
import { throughOutage, unsureMs } from "./database-failure.ts";
import { LeasedRun } from "./held.ts";
import { plainQueue } from "./routing.ts";
import { addedRow, foldedValues, readEventRows } from "./rows.ts";
import type { PostgresStoreOptions } from "./store-options.ts";

const senderText = "SELECT COALESCE((SELECT submitted_by FROM chronicle.schedule WHERE id = $1), session_user) AS by";

/** The first event in stored form, with the login that sends it, or has added its schedule, and the run that it creates. */
export async function firstEvent(
	{ database, clock, redact, schedule }: PostgresStoreOptions,
	first: Created,
	fence: number,
) {
	const { rows } = await database.query<{ by: string }>(senderText, [schedule ?? null]);
	const at = new Date(clock.now()).toISOString();
	const event = stampEvent({ ...redactEvent(first, redact), ...rows[0] }, { seq: 1, at, fence });
	return { event, run: startRun(event) };
}

export const unreadableTemplate = storeFailure(
	"corrupt",
	"The template's definition cannot be read.",
	"Check the template.",
);

/** The provider whose limits hold for the run: of the model that it was started with, otherwise of the one that its first state names. */
export function providerOf(run: Run): string | undefined {
	const [provider, id] = (run.model ?? run.plan.states.get(run.state)?.model ?? "").split("/", 2);
	return id === undefined ? undefined : provider;
}

interface NewRow {
	readonly event: object;
	readonly run: Run;
	readonly fence: number;
	readonly start: RunStart | null;
	readonly trees?: string;
}

/** Adds the row of a new run and its first event; `false`: the id is taken. */
export async function insertRow(
	tx: Sql,
	{ project, queue, priority = 0, host, schedule }: Omit<PostgresStoreOptions, "creates">,
	{ event, run, fence, start, trees }: NewRow,
): Promise<boolean> {
	const { parent } = run;
	const child = parent ? JSON.stringify({ visit: parent.visit, index: parent.index, name: parent.name }) : null;
	const row = {
		...{ id: run.id, project, queue, priority, provider: providerOf(run), schema_version: SCHEMA_VERSION },
		...{ head: start?.head, head_parent: start?.parent, folder: start?.folder, conversations: "" },
		...{ holder: fence > 0 ? host.id : undefined, fence, parent: parent?.run, trees, child, schedule },
		...foldedValues(run),
	};
	const values = Object.values(row).map((one) => one ?? null);
	const text = `INSERT INTO chronicle.run (${Object.keys(row)}) VALUES (${values.map((_, n) => `$${n + 1}`)}) ON CONFLICT (id) DO NOTHING`;
	if ((await tx.query(text, values)).count === 0) return false;
	await tx.query("INSERT INTO chronicle.event (run, seq, body) VALUES ($1, 1, $2)", [run.id, JSON.stringify(event)]);
	return true;
}

const exists = (id: string) => storeFailure("exists", `The run ${id} already exists.`, "Use another id.");

async function heldRow(tx: Sql, options: PostgresStoreOptions, run: Run, fence: number): Promise<LeasedRun> {
	const row = await addedRow(tx, run.id);
	return new LeasedRun({ ...options, row: { ...row, fence: 0 }, run, fence, job: undefined });
}

/** Creates a run: held by this host, or left to all with its first job. */
export async function insertRun(
	options: PostgresStoreOptions,
	first: Created,
): Promise<Result<HeldLedger, StoreFailure>> {
	const { database, host, queue, creates } = options;
	const isHeld = creates.kind === "held";
	const fence = isHeld ? 1 : 0;
	if (!isHeld && !(await (await database.boss()).getQueue(plainQueue(queue))))
		throw new Error(`Queue ${plainQueue(queue)} does not exist`);
	const { event, run } = await firstEvent(options, first, fence);
	if (!run) return unreadableTemplate;
	const base = creates.kind === "submitted" ? await creates.base(run) : { ok: true as const, value: null };
	if (!base.ok) return base;
	if (isHeld) await host.register();
	let wasAdded = false;
	const insert = async (tx: Sql): Promise<Result<HeldLedger, StoreFailure>> => {
		const isAdded = await insertRow(tx, options, { event, run, fence, start: base.value });
		if (!isAdded && !(wasAdded && (await isFirst(tx, run.id, event)))) return exists(run.id);
		wasAdded = true;
		if (isHeld) return { ok: true, value: await heldRow(tx, options, run, fence) };
		await notify(tx, `wake ${run.id}`);
		return { ok: true, value: submittedLedger(options, run) };
	};
	// The run may exist although that was not confirmed: a sender that sees a failure would create another.
	return throughOutage(unsureMs, () => database.transaction(insert));
}

async function isFirst(tx: Sql, id: string, event: object): Promise<boolean> {
	const { rows } = await tx.query<{ body: string }>("SELECT body FROM chronicle.event WHERE run = $1 AND seq = 1", [
		id,
	]);
	return rows[0]?.body === JSON.stringify(event);
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
