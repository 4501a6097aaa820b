// The store in Postgres: the contract of every store, and the guarantees that only a shared store needs.

import { foldEvent } from "@pi-chronicle/core/machine";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openRedaction } from "../../pi-chronicle/src/safety/index.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, id, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { testLedgerStore } from "../../pi-chronicle/test/local/ledger/store-contract.ts";
import { type Database, openHost, openPostgresStore } from "../src/index.ts";
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

	it("takes texts with a NUL, which Postgres has not", async () => {
		const ledger = value(await openStore().create(created({ task: "one\0two" })));
		value(await ledger.append([{ kind: "noted", text: "three\0four" }], "durable"));
		value(await openStore().post(id, { kind: "told", text: "five\0six" }));
		const { rows } = await database.query<{ task: string }>("SELECT task FROM chronicle.run");
		expect(rows).toEqual([{ task: "one\ufffdtwo" }]);
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
});
