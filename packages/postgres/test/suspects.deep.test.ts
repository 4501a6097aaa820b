// A run that kills its hosts is given up, and those beside it are not.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo, type Play } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import type { Host } from "../src/host.ts";
import { type Database, openHost } from "../src/index.ts";
import { reapRuns, wakeRuns } from "../src/settle.ts";
import { MustBeAlone } from "../src/suspects.ts";
import { type HostStage, openHostStage } from "./host-stage.ts";
import { queue, storeOf } from "./open-engine.ts";

describe("the death of a host", needsPostgres, () => {
	let stage: HostStage;
	let database: Database;
	beforeEach(async () => {
		stage = await openHostStage();
		database = stage.database;
	});

	/** A host takes the next run; `undefined`: none is to be taken, or it must be alone. */
	const take = (host: Host, isIdle: boolean) =>
		database
			.transaction(async (tx) => {
				const [job] = await (await database.boss()).fetch<{ run: string }>(queue, { db: tx });
				if (!job) return undefined;
				const store = storeOf(database, "held", { host });
				return value(await store.claim(tx, job.data.run, { id: job.id, queue, retryCount: job.retryCount }, isIdle));
			})
			.catch((error: unknown) => {
				if (!(error instanceof MustBeAlone)) throw error;
			});
	const openTaker = () => openHost(database, { leaseMs: 3_600_000 });
	const die = async ({ id }: Host): Promise<void> => {
		await database.query("DELETE FROM chronicle.host WHERE id = $1", [id]);
		await reapRuns(database);
		await database.query("UPDATE chronicle_jobs.job SET start_after = now() WHERE state < 'active'");
	};
	const given = async () =>
		(await database.query("SELECT FROM chronicle_jobs.job WHERE name = 'app/.dead' AND state = 'created'")).count;

	it("counts for none of several runs; each is alone then, and only the one that kills again is given up", async () => {
		for (const n of [1, 2, 3, 4]) await stage.submit(n);
		await wakeRuns(database);
		const first = openTaker();
		for (const _ of [1, 2, 3, 4]) expect(await take(first, false)).toBeDefined();
		await die(first);
		// Whichever is first: it is not taken beside others.
		expect(await take(openTaker(), false)).toBe(undefined);
		const poison = "aaaaaaaa-0000-4000-8000-000000000002";
		let deaths = 0;
		for (;;) {
			const host = openTaker();
			const ledger = await take(host, true);
			if (!ledger) break;
			if (ledger.run.id === poison) {
				deaths += 1;
				await die(host);
			} else await ledger.settle({ kind: "parked" });
		}
		expect(deaths).toBe(5);
		const { rows } = await database.query<{ id: string }>(
			"SELECT data->>'run' AS id FROM chronicle_jobs.job WHERE name = 'app/.dead'",
		);
		expect(rows).toEqual([{ id: poison }]);
		expect((await database.query("SELECT FROM chronicle.run WHERE suspect IS NOT NULL")).count).toBe(1);
	});

	it("counts for a run that was alone", async () => {
		await stage.submit(1);
		await wakeRuns(database);
		for (let attempt = 1; attempt <= 5; attempt += 1) {
			const host = openTaker();
			expect(await take(host, true), `${attempt}`).toBeDefined();
			await die(host);
		}
		expect(await given()).toBe(1);
	});

	it("has its runs done alone by the next host, which takes others before and after", {
		timeout: patient(60_000),
	}, async () => {
		for (const n of [1, 2, 3, 4, 5, 6]) await stage.submit(n);
		await database.query("UPDATE chronicle.run SET suspect = 0 WHERE id::text LIKE '%2' OR id::text LIKE '%3'");
		const working = new Set<number>();
		const beside = new Map<number, number>();
		const play =
			(n: number): Play =>
			async (...given) => {
				working.add(n);
				for (const one of working) beside.set(one, Math.max(beside.get(one) ?? 0, working.size));
				// Those after the suspects work until two have met, so that a slow machine has them meet as well.
				const haveMet = () => Math.max(...beside.values()) > 1;
				if (n <= 3) await new Promise((resolve) => setTimeout(resolve, 300));
				else await vi.waitUntil(haveMet, { timeout: patient(5_000) }).catch(() => {});
				working.delete(n);
				await moveTo("done")(...given);
			};
		const host = await stage.host("a", { slots: 3, play });
		const over = async () => (await database.query("SELECT FROM chronicle.run WHERE status = 'done'")).count;
		await expect.poll(over, { timeout: patient(50_000) }).toBe(6);
		expect([beside.get(2), beside.get(3)]).toEqual([1, 1]);
		expect(Math.max(...beside.values())).toBeGreaterThan(1);
		expect((await database.query("SELECT FROM chronicle.run WHERE suspect IS NOT NULL")).count).toBe(0);
		await host.stop();
	});
});
