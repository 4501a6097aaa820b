// The store in Postgres: the contract of every store, and the guarantees that only a shared store needs.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { foldEvent } from "../../../../src/chronicle/core/machine/index.ts";
import {
	type Database,
	initialize,
	makeQueue,
	openHost,
	openPostgresStore,
	queueName,
} from "../../../../src/chronicle/engine/postgres/index.ts";
import { openRedaction } from "../../../../src/safety/index.ts";
import { needsPostgres, startPostgres } from "../../../harness/postgres.ts";
import { created, id, value } from "../ledger/sample-events.ts";
import { testLedgerStore } from "../ledger/store-contract.ts";
import { connect } from "./connect.ts";

let database: Database;
let now = Date.UTC(2030, 0, 1);
const clock = { now: () => (now += 10) };
const queue = queueName("app", "runs");

describe("with Postgres", needsPostgres, () => {
	beforeAll(async () => {
		const { url } = await startPostgres();
		database = await connect(url);
		const done = await initialize(database);
		if ("reason" in done) throw new Error(done.message);
		await database.query("INSERT INTO chronicle.project (name) VALUES ('app')");
		await makeQueue(await database.boss(), "app", queue);
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

	testLedgerStore("Postgres", openStore);

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
});
