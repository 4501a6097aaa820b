// The store in Postgres: the contract of every store, and the guarantees that only a shared store needs.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { foldEvent } from "../../../../src/chronicle/core/machine/index.ts";
import { type Database, openHost, openPostgresStore } from "../../../../src/chronicle/engine/postgres/index.ts";
import { openRedaction } from "../../../../src/safety/index.ts";
import { patient } from "../../../harness/patience.ts";
import { needsPostgres } from "../../../harness/postgres.ts";
import { created, id, value } from "../ledger/sample-events.ts";
import { testLedgerStore } from "../ledger/store-contract.ts";
import { openEngine, queue } from "./open-engine.ts";

let database: Database;
let now = Date.UTC(2030, 0, 1);
const clock = { now: () => (now += 10) };

describe("with Postgres", needsPostgres, () => {
	beforeAll(async () => {
		({ database } = await openEngine());
	});
	beforeEach(async () => {
		await database.query("DELETE FROM chronicle.run");
		await (await database.boss()).deleteAllJobs();
	});

	const openStore = () =>
		openPostgresStore({
			database,
			host: openHost(database),
			clock,
			redact: openRedaction(process.env),
			folderOf: (run) => `/nowhere/${run}`,
			project: "app",
			queue,
			creates: { kind: "held" },
		});

	testLedgerStore("Postgres", openStore, "queued");

	it.each(["an event", "a checkpoint"])("rewrites, before %s, what a crash of the database has lost", async (next) => {
		const ledger = value(await openStore().create(created()));
		const texts = ["one", "two"];
		let { run } = ledger;
		for (const text of texts)
			run = value(await ledger.append([{ kind: "noted", text }], "soon")).reduce(foldEvent, run);
		// As the database is after a crash that came before they were on its disk.
		await database.query("DELETE FROM chronicle.event WHERE run = $1 AND seq > 1", [id]);
		await database.query("UPDATE chronicle.run SET seq = 1 WHERE id = $1", [id]);
		if (next === "an event") value(await ledger.append([{ kind: "noted", text: "three" }], "durable"));
		else value(await ledger.checkpoint(run));
		const kinds: string[] = [];
		for await (const event of ledger.events()) kinds.push(event.kind);
		expect(kinds).toEqual(next === "an event" ? ["created", "noted", "noted", "noted"] : ["created", "noted", "noted"]);
		await ledger.releaseLease();
	});

	it("has no index with a column that each append changes", async () => {
		const ledger = value(await openStore().create(created()));
		const read = async () => (await database.query<Record<string, unknown>>("SELECT * FROM chronicle.run")).rows[0];
		const before = await read();
		value(await ledger.append([{ kind: "noted", text: "x" }], "durable"));
		const after = await read();
		const changed = Object.keys(after ?? {}).filter((name) => String(before?.[name]) !== String(after?.[name]));
		expect(changed).toEqual(["seq", "updated_at"]);
		const { rows } = await database.query<{ name: string }>(
			`SELECT DISTINCT a.attname AS name FROM pg_catalog.pg_index i
			JOIN pg_catalog.pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid AND d.refobjid = i.indrelid
			JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
			WHERE i.indrelid = 'chronicle.run'::regclass`,
		);
		const indexed = rows.map(({ name }) => name);
		expect(indexed).toEqual(expect.arrayContaining(["holder", "parked", "updated_hour"]));
		expect(changed.filter((name) => indexed.includes(name))).toEqual([]);
		await ledger.releaseLease();
	});

	it("appends in the room of the row before, so that 20 runs stay small however long they are", async () => {
		const runs = Array.from({ length: 20 }, (_, n) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`);
		const ledgers = await Promise.all(
			runs.map(async (run) => value(await openStore().create(created({ id: run, task: "long ".repeat(300) })))),
		);
		const appendAll = (count: number) =>
			Promise.all(
				ledgers.map(async (ledger) => {
					for (let n = 0; n < count; n += 1) value(await ledger.append([{ kind: "noted", text: "x" }], "soon"));
				}),
			);
		const figures = async () => {
			const { rows } = await database.query<{ size: string; updates: string; hot: string }>(
				`SELECT pg_table_size(relid) + pg_indexes_size(relid) AS size, n_tup_upd AS updates, n_tup_hot_upd AS hot
				FROM pg_stat_user_tables WHERE relid = 'chronicle.run'::regclass`,
			);
			const [{ size, updates, hot } = { size: 0, updates: 0, hot: 0 }] = rows;
			return { size: Number(size), updates: Number(updates), hot: Number(hot) };
		};
		/** Figures that count at least `count` updates; a connection reports its own only with a statement a second later. */
		const counted = async (count: number) => {
			const reported = async () => {
				await Promise.all(Array.from({ length: 10 }, () => database.query("SELECT pg_sleep(0.02)")));
				return (await figures()).updates;
			};
			await expect.poll(reported, { timeout: patient(20_000), interval: 250 }).toBeGreaterThanOrEqual(count);
			return figures();
		};
		const { updates } = await figures();
		await appendAll(10);
		const before = await counted(updates + 200);
		await appendAll(40);
		const after = await counted(before.updates + 800);
		expect((after.hot - before.hot) / (after.updates - before.updates)).toBeGreaterThan(0.9);
		expect(after.size).toBeLessThan(before.size * 2);
		for (const ledger of ledgers) await ledger.releaseLease();
	});
});
