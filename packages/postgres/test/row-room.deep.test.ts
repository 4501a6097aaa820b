// The room that the rows of runs take while events are appended, on a database as an operator runs it.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres, startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { openEngine, storeOf } from "./open-engine.ts";

it("20 runs that append at once stay small however long they are: each append takes the room of the row before", {
	...needsPostgres,
	timeout: patient(60_000),
}, async () => {
	// How far writers run ahead of each other depends on the disk.
	const { database } = await openEngine(await startPostgres({ fsync: true }));
	const store = storeOf(database, "held");
	const runs = Array.from({ length: 20 }, () => randomUUID());
	const ledgers = await Promise.all(
		runs.map(async (run) => value(await store.create(created({ id: run, task: "long ".repeat(300) })))),
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
	// Until the rows have the room that writers need who run ahead of each other.
	await appendAll(20);
	const before = await counted(updates + 400);
	await appendAll(60);
	const after = await counted(before.updates + 1200);
	expect((after.hot - before.hot) / (after.updates - before.updates)).toBeGreaterThan(0.9);
	expect(after.size).toBeLessThan(before.size * 1.5);
	for (const ledger of ledgers) await ledger.releaseLease();
});
