// A database of an earlier version keeps its runs: `init` brings the tables up, and hosts continue what was open.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeRun, type Run, startRun } from "@pi-chronicle/core/machine";
import { expect, it } from "vitest";
import { stampEvent } from "../../pi-chronicle/src/local/ledger/index.ts";
import { type Cluster, needsPostgres, openSharedDatabase } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { checkVersion, type Database, setUpEngine } from "../src/index.ts";
import { wakeRuns } from "../src/settle.ts";
import { connect } from "./connect.ts";
import { appSetup, storeOf } from "./open-engine.ts";

const earlier = readFileSync(join(import.meta.dirname, "fixtures", "tables-8.sql"), "utf8");
/** What version 8 has added. */
const sinceVersion7 = ["head_parent", "folder", "conversations"];
const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;
const ids = { queued: idOf(1), held: idOf(2), waiting: idOf(3) };

/** A run of an earlier version: its stored state is in its row. */
async function insertEarlier(database: Database, id: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
	const at = "2026-11-01T00:00:00.000Z";
	const event = stampEvent(created({ id }), { seq: 1, at, fence: 1 });
	const body = JSON.stringify(encodeRun(startRun(event) as Run));
	const row = {
		...{
			id,
			project: "app",
			queue: "app/runs",
			schema_version: 1,
			seq: 2,
			visit: 1,
			parked: false,
			template: "T",
			task: "do it",
		},
		...{ status: "running", state: "a", updated_at: at, cost_usd: 0, tokens: 0, body, body_seq: 1, ...fields },
	};
	const values = Object.values(row);
	await database.query(
		`INSERT INTO chronicle.run (${Object.keys(row)}) VALUES (${values.map((_, n) => `$${n + 1}`)})`,
		values,
	);
	const noted = stampEvent({ kind: "noted", text: "before" }, { seq: 2, at, fence: 1 });
	for (const one of [event, noted])
		await database.query("INSERT INTO chronicle.event VALUES ($1, $2, $3)", [id, one.seq, JSON.stringify(one)]);
}

async function fill(cluster: Cluster, version: number): Promise<Database> {
	const database = await connect(cluster.url);
	await database.query("DROP SCHEMA IF EXISTS chronicle CASCADE");
	await database.query("DROP SCHEMA IF EXISTS chronicle_jobs CASCADE");
	await database.executeSql(earlier);
	for (const column of version < 8 ? sinceVersion7 : [])
		await database.query(`ALTER TABLE chronicle.run DROP COLUMN ${column}`);
	await database.query("INSERT INTO chronicle.meta (version) VALUES ($1)", [version]);
	await database.query("INSERT INTO chronicle.project (name) VALUES ('app')");
	const host = "bbbbbbbb-0000-4000-8000-000000000001";
	await database.query(
		"INSERT INTO chronicle.host (id, name, pid, started, version, lease_ms, beat_at) VALUES ($1, 'old', 1, '', '', 8000, now())",
		[host],
	);
	await insertEarlier(database, ids.queued, {});
	await insertEarlier(database, ids.held, { holder: host, fence: 3 });
	await insertEarlier(database, ids.waiting, { parked: true, status: "paused", fence: 2 });
	await database.query("INSERT INTO chronicle.inbox (run, at, body) VALUES ($1, 0, $2)", [
		ids.waiting,
		JSON.stringify({ kind: "told", text: "earlier" }),
	]);
	for (const n of [1, 2])
		await database.query("INSERT INTO chronicle.inbox (run, at, body) VALUES ($1, $2, $3)", [
			ids.waiting,
			n,
			JSON.stringify({ kind: "rejected", answers: 2, words: `answer ${n}` }),
		]);
	return database;
}

it.each([7, 8])("keeps the open runs of a database of version %d", needsPostgres, async (version) => {
	const database = await fill(await openSharedDatabase(), version);
	expect(await checkVersion(database)).toMatchObject({ reason: "older" });
	for (let times = 0; times < 2; times += 1) await setUpEngine(database, appSetup);
	expect(await checkVersion(database)).toBe(undefined);
	const store = storeOf(database, "held");
	expect((await store.list()).map(({ kind }) => kind)).toEqual(["run", "run", "run"]);
	// The new run gets the job that it lacks, and the parked one that of its command.
	expect((await wakeRuns(database)).toSorted()).toEqual([ids.queued, ids.waiting]);
	// Its host records nothing more, and has its lease until that expires.
	expect(await store.open(ids.held)).toMatchObject({ ok: false, failure: { reason: "held" } });
	await database.query("UPDATE chronicle.host SET beat_at = now() - interval '1 minute' WHERE name = 'old'");
	for (const id of Object.values(ids)) {
		const ledger = value(await store.open(id));
		expect(ledger.run).toMatchObject({ id, seq: 2 });
		value(await ledger.append([{ kind: "noted", text: "after" }], "durable"));
		const texts: string[] = [];
		for await (const event of ledger.events(1)) if (event.kind === "noted") texts.push(event.text);
		expect(texts).toEqual(["before", "after"]);
		await ledger.releaseLease();
	}
	const { rows } = await database.query("SELECT state FROM chronicle.inbox WHERE run = $1 ORDER BY id", [ids.waiting]);
	expect(rows.map(({ state }: { state?: string }) => state)).toEqual(["waiting", "waiting", "refused"]);
});
