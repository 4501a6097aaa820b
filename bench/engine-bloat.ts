// What the tables of an engine cost as they grow: `node bench/engine-bloat.ts [states]` (default 20,000) records the events of states, six appends each,
// as hosts do, and prints the sizes of the tables, the share of HOT updates and dead rows, on the way and at the end. Then it removes these runs and records
// as many states again, twice, as retention does: the tables must take the same room.
import { randomUUID } from "node:crypto";
import type { Database } from "@pi-chronicle/postgres";
import { endFile } from "../packages/pi-chronicle/test/harness/lifetime.ts";
import { startPostgres } from "../packages/pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../packages/pi-chronicle/test/local/ledger/sample-events.ts";
import { openEngine, storeOf } from "../packages/postgres/test/open-engine.ts";

const [wanted = 20_000] = process.argv.slice(2).map(Number);
const runs = 20;
const appendsPerState = 6;
/** Appends between two checkpoints of a run, as a supervisor makes them. */
const checkpointEvery = 200;

interface TableRow {
	readonly name: string;
	readonly heap: string;
	readonly indexes: string;
	readonly updates: string;
	readonly hot: string;
	readonly dead: string;
}

const tablesText = `
SELECT s.relname AS name, pg_table_size(s.relid) AS heap, pg_indexes_size(s.relid) AS indexes, s.n_tup_upd AS updates, s.n_tup_hot_upd AS hot,
	s.n_dead_tup AS dead
FROM pg_stat_user_tables s WHERE s.schemaname = 'chronicle' AND s.n_tup_ins > 0 ORDER BY 1`;

async function report(database: Database, when: string): Promise<void> {
	// The statistics are sent a second later at most.
	await new Promise((resolve) => setTimeout(resolve, 1500));
	const { rows } = await database.query<TableRow>(tablesText);
	console.log(when);
	for (const { name, heap, indexes, updates, hot, dead } of rows) {
		const share = Number(updates) === 0 ? "-" : `${((100 * Number(hot)) / Number(updates)).toFixed(1)} %`;
		const kilobytes = (bytes: string): string => (Number(bytes) / 1000).toFixed(0).padStart(8);
		console.log(
			`  ${name.padEnd(10)} ${kilobytes(heap)} kB ${kilobytes(indexes)} kB of indexes, ${updates} updates, ${share} HOT, ${dead} dead`,
		);
	}
}

async function recordStates(database: Database, milestones: readonly number[]): Promise<readonly string[]> {
	const store = storeOf(database, "held");
	const ledgers = await Promise.all(
		Array.from({ length: runs }, async () =>
			value(await store.create(created({ id: randomUUID(), task: "x".repeat(1500) }))),
		),
	);
	let done = 0;
	for (const goal of milestones) {
		const each = Math.round((goal - done) / runs);
		await Promise.all(
			ledgers.map(async (ledger) => {
				let { run } = ledger;
				for (let n = 0; n < each * appendsPerState; n += 1) {
					const text = `event ${n} ${"y".repeat(250)}`;
					const events = value(await ledger.append([{ kind: "noted", text }], n % 2 === 0 ? "durable" : "soon"));
					run = { ...run, seq: events.at(-1)?.seq ?? run.seq };
					if (n % checkpointEvery === 0) value(await ledger.checkpoint(run));
				}
			}),
		);
		done = goal;
		await report(database, `after ${done} states`);
	}
	for (const ledger of ledgers) await ledger.releaseLease();
	return ledgers.map(({ run }) => run.id);
}

/** What autovacuum does a minute later. */
async function removeRuns(database: Database, ids: readonly string[]): Promise<void> {
	const store = storeOf(database, "held");
	for (const id of ids) value(await store.remove(id));
	await database.query("VACUUM");
	await report(database, "after their removal");
}

async function record(): Promise<void> {
	const { database } = await openEngine(await startPostgres({ fsync: true }));
	await removeRuns(database, await recordStates(database, [wanted / 20, wanted / 4, wanted / 2, wanted]));
	await removeRuns(database, await recordStates(database, [wanted]));
	await recordStates(database, [wanted]);
	await database.close();
	await endFile();
}

await record();
