// What keeps an engine in order without a run: limits, versions, maintenance, runs that were given up. Hosts are objects in this process.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
	checkVersion,
	type Database,
	EngineWorker,
	initialize,
	openHost,
	openPostgresStore,
	queueName,
	setLimit,
	setUpEngine,
} from "../../../../src/chronicle/engine/postgres/index.ts";
import { reapRuns } from "../../../../src/chronicle/engine/postgres/settle.ts";
import { openRedaction } from "../../../../src/safety/index.ts";
import { openFolder } from "../../../harness/folder.ts";
import { patient } from "../../../harness/patience.ts";
import { needsPostgres, startPostgres } from "../../../harness/postgres.ts";
import { created, value } from "../ledger/sample-events.ts";
import { connect } from "./connect.ts";

const queue = queueName("app", "runs");
const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;

describe("an engine", needsPostgres, () => {
	let database: Database;
	const store = (creates: "held" | "submitted", host = openHost(database)) =>
		openPostgresStore({
			...{ database, host, clock: Date, redact: openRedaction({}), project: "app", queue },
			folderOf: (run) => `/nowhere/${run}`,
			creates:
				creates === "held" ? { kind: "held" } : { kind: "submitted", base: async () => ({ ok: true, value: null }) },
		});
	const submit = async (n: number): Promise<void> =>
		void value(await store("submitted").create({ ...created({ id: idOf(n) }), model: "acme/one" }));
	const claim = async (host = openHost(database)) => {
		const boss = await database.boss();
		return database.transaction(async (tx) => {
			const [job] = await boss.fetch<{ run: string }>(queue, { db: tx });
			if (!job) throw new Error("no job");
			const attempt = { id: job.id, queue, retryCount: job.retryCount };
			return store("held", host).claim(tx, job.data.run, attempt);
		});
	};
	beforeAll(async () => {
		database = await connect((await startPostgres()).url);
		await setUpEngine(database, { project: "app", queues: [], labels: [], members: [] });
	});
	beforeEach(async () => {
		await database.query("DELETE FROM chronicle.run");
		await database.query("DELETE FROM chronicle.quota");
		await database.query("UPDATE chronicle.project SET most = NULL");
		await (await database.boss()).deleteAllJobs();
	});

	it("has a queue for each set of labels, and says which one is missing", async () => {
		await setUpEngine(database, { project: "app", queues: [], labels: ["gpu", "big"], members: [] });
		const into = (labels: string[]) =>
			openPostgresStore({
				...{ database, host: openHost(database), clock: Date, redact: openRedaction({}), project: "app" },
				...{ queue: queueName("app", "runs", labels), folderOf: (run: string) => `/nowhere/${run}` },
				creates: { kind: "submitted", base: async () => ({ ok: true, value: null }) },
			});
		const sets = [[], ["gpu"], ["big"], ["gpu", "big"]];
		for (const [n, labels] of sets.entries()) value(await into(labels).create(created({ id: idOf(n + 1) })));
		const missing = await into(["tpu"]).create(created({ id: idOf(9) }));
		expect(!missing.ok && missing.failure.message).toContain("no queue app/runs/tpu");
	});

	const limits: Readonly<Record<string, () => Promise<unknown>>> = {
		"1 runs of the queue runs at once": () => setLimit(database, { kind: "queue", name: "runs", most: 1 }),
		"1 runs of the queue runs a minute": () => setLimit(database, { kind: "queue", name: "runs", perMinute: 1 }),
		"1 runs with acme at once": () => setLimit(database, { kind: "provider", name: "acme", most: 1 }),
		"1 runs with acme a minute": () => setLimit(database, { kind: "provider", name: "acme", perMinute: 1 }),
		"1 runs of the project app at once": () => database.query("UPDATE chronicle.project SET most = 1"),
	};
	it.each(Object.entries(limits))("holds runs back: %s", async (what, set) => {
		await set();
		await submit(1);
		await submit(2);
		const first = value(await claim());
		await expect(claim()).rejects.toThrow(`Waits for the limit of ${what}.`);
		await first.settle({ kind: "parked" });
		if (what.endsWith("a minute")) {
			await expect(claim()).rejects.toThrow("a minute");
			await database.query("UPDATE chronicle.run SET claimed_at = now() - interval '61 seconds' WHERE id = $1", [
				idOf(1),
			]);
		}
		expect(value(await claim()).run.id).toBe(idOf(2));
	});

	it("lets only the holder of a run hold its children, and counts them with it", async () => {
		await setLimit(database, { kind: "queue", name: "runs", most: 2 });
		await submit(1);
		await submit(2);
		const host = openHost(database);
		const other = openHost(database);
		const parent = { run: idOf(1), root: idOf(1), visit: 1, index: 1, name: "c", level: 1, files: "own" } as const;
		const first = { ...created({ id: idOf(9) }), parent };
		expect((await store("held", host).createChild(first, idOf(1))).ok).toBe(false);
		const held = value(await claim(host));
		const child = value(await store("held", host).createChild(first, idOf(1)));
		expect((await store("held", other).createChild(first, idOf(1))).ok).toBe(false);
		expect((await store("held", other).open(idOf(9))).ok).toBe(false);
		expect(value(await claim(other)).run.id).toBe(idOf(2));
		// The host dies: the one that continues the run gets the child, and the first holder writes nothing any more.
		await database.query("UPDATE chronicle.host SET beat_at = now() - interval '1 hour' WHERE id = $1", [host.id]);
		expect(await reapRuns(database)).toEqual([idOf(1)]);
		await database.query("UPDATE chronicle_jobs.job SET start_after = now()");
		value(await claim(other));
		const heir = value(await store("held", other).open(idOf(9)));
		expect(heir.fence).toBe(2);
		expect((await child.append([{ kind: "noted", text: "late" }], "durable")).ok).toBe(false);
		value(await heir.append([{ kind: "noted", text: "in time" }], "durable"));
		const listed = (await store("held").list()).find(({ id }) => id === idOf(9));
		expect(listed).toMatchObject({ summary: { parent: { run: idOf(1), name: "c", index: 1 } } });
		await held.releaseLease();
	});

	it("is left alone by versions that do not know its tables, and brought up by those that do", async () => {
		const written = async (version: number) => {
			await database.query("UPDATE chronicle.meta SET version = $1", [version]);
			return checkVersion(database);
		};
		const { rows } = await database.query<{ version: number }>("SELECT version FROM chronicle.meta");
		const own = rows[0]?.version ?? 0;
		expect(await written(own)).toBe(undefined);
		expect(await written(own + 1)).toMatchObject({ reason: "newer" });
		expect(await initialize(database)).toMatchObject({ reason: "newer" });
		expect(await written(own - 1)).toMatchObject({ reason: "older" });
		await database.query("ALTER TABLE chronicle.run DROP COLUMN parent CASCADE, DROP COLUMN trees, DROP COLUMN child");
		await database.query("DROP TABLE chronicle.snapshot");
		expect(await initialize(database)).toEqual([]);
		expect(await checkVersion(database)).toBe(undefined);
		await submit(1);
	});

	it("parks a run whose hosts all died, and deletes old jobs and hosts", { timeout: patient(60_000) }, async () => {
		await submit(1);
		await submit(2);
		await database.query("DELETE FROM chronicle.run WHERE id = $1", [idOf(2)]);
		await database.query(
			"UPDATE chronicle_jobs.job SET state = 'completed', completed_on = now() - interval '8 days' WHERE data->>'run' = $1",
			[idOf(2)],
		);
		for (let attempt = 1; attempt <= 5; attempt++) {
			await database.query("UPDATE chronicle_jobs.job SET start_after = now() WHERE state < 'active'");
			const host = openHost(database);
			value(await claim(host));
			await host.leave();
			expect(await reapRuns(database)).toEqual([idOf(1)]);
		}
		await database.query("UPDATE chronicle.host SET beat_at = now() - interval '2 days'");
		const worker = new EngineWorker({
			...{ database, host: openHost(database, { slots: 1 }), slots: 1, queues: ["runs"], labels: [], report: () => {} },
			projects: [{ name: "app", remote: "/nowhere", cleanup: "never", place: {} as never }],
			data: openFolder(),
		});
		const working = worker.work();
		const left = async () =>
			(await database.query("SELECT FROM chronicle_jobs.job WHERE data->>'run' = $1", [idOf(2)])).count;
		await expect.poll(left, { timeout: patient(20_000) }).toBe(0);
		expect((await database.query("SELECT FROM chronicle.host WHERE beat_at < now() - interval '1 day'")).count).toBe(0);
		const read = async () => value(await store("held").read(idOf(1))).run;
		await expect.poll(async () => (await read()).status, { timeout: patient(20_000) }).toBe("paused");
		expect((await read()).hold?.detail).toMatch(/gave up the run after 5 attempts.*stopped renewing its lease/);
		worker.stop();
		await working;
	});
});
