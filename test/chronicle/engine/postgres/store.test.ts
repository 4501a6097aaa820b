// The store in Postgres: the contract of every store, and what only a shared one has to promise.
import { beforeAll, beforeEach, describe } from "vitest";
import {
	type Database,
	initialize,
	makeQueue,
	openDatabase,
	openHost,
	openPostgresStore,
	queueName,
} from "../../../../src/chronicle/engine/postgres/index.ts";
import { openRedaction } from "../../../../src/safety/index.ts";
import { closeLater } from "../../../harness/lifetime.ts";
import { needsPostgres, startPostgres } from "../../../harness/postgres.ts";
import { testLedgerStore } from "../ledger/store-contract.ts";

let database: Database;
let now = Date.UTC(2030, 0, 1);
const clock = { now: () => (now += 10) };
const queue = queueName("app", "runs");

describe("with Postgres", needsPostgres, () => {
	beforeAll(async () => {
		const { url } = await startPostgres();
		const opened = await openDatabase(url);
		if (!opened.ok) throw new Error(opened.failure.message);
		database = opened.value;
		closeLater(() => database.close());
		const done = await initialize(database);
		if ("reason" in done) throw new Error(done.message);
		await database.query("INSERT INTO chronicle.project (name) VALUES ('app')");
		await makeQueue(await database.boss(), "app", queue);
	});
	beforeEach(async () => {
		await database.query("DELETE FROM chronicle.run");
		await (await database.boss()).deleteAllJobs();
	});

	testLedgerStore("Postgres", () =>
		openPostgresStore({
			database,
			host: openHost(database),
			clock,
			redact: openRedaction(process.env),
			folderOf: (run) => `/nowhere/${run}`,
			project: "app",
			queue,
			creates: { kind: "held" },
		}),
	);
});
