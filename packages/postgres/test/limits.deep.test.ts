// Limits with hosts that do real jobs: two workers take runs from Postgres, prepare their folders from a git remote, and supervise them with workers
// that play a script in this process.
import { beforeAll, describe, expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { moveTo, type Play } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { type Database, readStatus, setLimit } from "../src/index.ts";
import { type HostStage, openHostStage } from "./host-stage.ts";

const limit = { timeout: patient(20_000) };

describe("limits of an engine", needsPostgres, () => {
	let stage: HostStage;
	let database: Database;
	const submit = (n: number, model: string) => stage.submit(n, { model });

	/** The runs whose worker has started, in order; each works until the test ends its work. */
	const started: number[] = [];
	const working = new Map<number, () => void>();
	const play: (n: number) => Play = (n) => async (host, order, ended) => {
		started.push(n);
		await new Promise<void>((resolve) => working.set(n, resolve));
		working.delete(n);
		await moveTo("done")(host, order, ended);
	};
	const openWorker = (name: string) => stage.host(name, { play });
	const finish = async (n: number): Promise<void> => {
		await expect.poll(() => working.has(n), limit).toBe(true);
		working.get(n)?.();
	};

	beforeAll(async () => {
		stage = await openHostStage();
		database = stage.database;
	});

	it("hold for all hosts together, keep the order of the queue, and outlive the hosts", {
		timeout: patient(120_000),
	}, async () => {
		await setLimit(database, { kind: "project", name: "app", most: 2 });
		for (const n of [1, 2, 3, 4]) await submit(n, "acme/one");
		const [a, b] = await Promise.all([openWorker("a"), openWorker("b")]);
		const waiting = async () => (await readStatus(database)).limits[0]?.waiting;
		await expect.poll(() => started.length, limit).toBe(2);
		await expect.poll(waiting, limit).toBe(2);
		expect(started.toSorted()).toEqual([1, 2]);
		await finish(1);
		await expect.poll(() => started, limit).toContain(3);
		expect(started).not.toContain(4);
		// Both hosts are replaced: the two runs that are given back are the first again, and no more than two are done.
		await Promise.all([a.stop(), b.stop()]);
		started.length = 0;
		working.clear();
		const c = await openWorker("c");
		await expect.poll(() => started.length, limit).toBe(2);
		await expect.poll(waiting, limit).toBe(1);
		await setLimit(database, { kind: "project", name: "app" });
		await expect.poll(() => started.toSorted(), limit).toEqual([2, 3, 4]);
		for (const n of [2, 3, 4]) await finish(n);
		const over = async () =>
			(await stage.store().list()).every((entry) => entry.kind === "run" && entry.summary.status === "done");
		await expect.poll(over, limit).toBe(true);

		// A run of another provider passes those that their provider's limit holds back; a rate lets no more than that start.
		started.length = 0;
		await setLimit(database, { kind: "provider", name: "acme", perMinute: 1 });
		for (const n of [5, 6, 7]) await submit(n, "acme/one");
		await submit(8, "other/one");
		await expect.poll(() => started, limit).toContain(8);
		expect(started.filter((n) => n !== 8)).toEqual([5]);
		const status = await readStatus(database);
		expect(status.limits).toMatchObject([{ kind: "provider", name: "acme", held: 1, taken: 1, waiting: 2 }]);
		await expect
			.poll(async () => (await readStatus(database)).stuck.map(({ why }) => why), limit)
			.toEqual([
				"Waits for the limit of 1 runs with acme a minute.",
				"Waits for the limit of 1 runs with acme a minute.",
			]);
		await database.query("DELETE FROM chronicle.claim");
		await expect.poll(() => started.length, limit).toBe(3);
		await c.stop();
	});
});
