// Operation of an engine: limits, versions, maintenance, abandoned runs. Hosts are objects in this process.

import { type Created, NO_CHILD_SPEND } from "@pi-chronicle/core/machine";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { type Cluster, needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { baseline, created, tell, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { dropChildren } from "../src/child-rows.ts";
import type { Host } from "../src/host.ts";
import {
	checkVersion,
	type Database,
	EngineWorker,
	examine,
	initialize,
	isLimitable,
	openHost,
	queueName,
	readStatus,
	setLimit,
	setUpEngine,
} from "../src/index.ts";
import { reapRuns, wakeRun, wakeRuns } from "../src/settle.ts";
import { connect } from "./connect.ts";
import { appSetup, openEngine, queue, storeOf } from "./open-engine.ts";

const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;

describe("an engine", needsPostgres, () => {
	let cluster: Cluster;
	let database: Database;
	const hosts: Host[] = [];
	const open = (...[on, options]: Parameters<typeof openHost>): Host => {
		const host = openHost(on, options);
		hosts.push(host);
		return host;
	};
	const store = (creates: "held" | "submitted", host = open(database)) => storeOf(database, creates, { host });
	const submit = async (n: number): Promise<void> => {
		value(await store("submitted").create({ ...created({ id: idOf(n) }), model: "acme/one" }));
		await wakeRun(database, idOf(n));
	};
	const claim = async (host = open(database)) => {
		const boss = await database.boss();
		return database.transaction(async (tx) => {
			const [job] = await boss.fetch<{ run: string }>(queue, { db: tx });
			if (!job) throw new Error("no job");
			const attempt = { id: job.id, queue, retryCount: job.retryCount };
			return store("held", host).claim(tx, job.data.run, attempt);
		});
	};
	beforeAll(async () => {
		({ cluster, database } = await openEngine());
	});
	afterEach(async () => {
		// A host that renews its row would wait for tables that the next test alters, on a connection that the test needs.
		await Promise.all(hosts.splice(0).map((host) => host.leave()));
	});
	beforeEach(async () => {
		await database.query("DELETE FROM chronicle.run");
		await database.query("DELETE FROM chronicle.quota");
		await database.query("DELETE FROM chronicle.claim");
		await (await database.boss()).deleteAllJobs();
	});

	it("makes a queue with labels when the first job for them is sent, and no queue of another name", async () => {
		const labels = Array.from({ length: 30 }, (_, n) => `label-${n}`);
		await setUpEngine(database, { ...appSetup, labels });
		const queues = async () => (await (await database.boss()).getQueues()).map(({ name }) => name).sort();
		const before = await queues();
		expect(before).toEqual(["app/.dead", "app/.schedule", "app/runs"]);
		const into = (name: string, wanted: string[]) =>
			storeOf(database, "submitted", { host: open(database), queue: queueName("app", name, wanted) });
		const sets = [[], ["gpu"], ["big"], ["gpu", "big"]];
		for (const [n, wanted] of sets.entries()) value(await into("runs", wanted).create(created({ id: idOf(n + 1) })));
		await wakeRuns(database);
		expect(await queues()).toEqual([...before, "app/runs/big", "app/runs/big/gpu", "app/runs/gpu"]);
		for (const wanted of [[], ["gpu"]]) {
			const missing = await into("typo", wanted).create(created({ id: idOf(9) }));
			expect(!missing.ok && missing.failure.message).toContain("Queue app/typo does not exist");
		}
		const refused = await setUpEngine(database, { ...appSetup, labels: ["a/b"] });
		expect(refused).toMatchObject({ reason: "usage" });
	});

	const limits = (["project", "queue", "provider"] as const).flatMap((kind) => {
		const name = { project: "app", queue: "runs", provider: "acme" }[kind];
		const text = kind === "provider" ? "with acme" : `of the ${kind} ${name}`;
		return [
			{ what: `2 runs ${text} at once`, limit: { kind, name, most: 2 } },
			{ what: `2 runs ${text} a minute`, limit: { kind, name, perMinute: 2 } },
		];
	});
	it.each(limits)("holds runs back at the limit, also after a restart: $what", async ({ what, limit }) => {
		await setLimit(database, limit);
		for (const n of [1, 2, 3]) await submit(n);
		const [first] = [value(await claim()), value(await claim())];
		// A host that starts anew counts what others took.
		const restarted = open(await connect(cluster.url));
		await expect(claim(restarted)).rejects.toThrow(`Waits for the limit of ${what}.`);
		const [status] = (await readStatus(database)).limits;
		expect(status).toMatchObject({ ...limit, waiting: 1 });
		expect(limit.most === undefined ? status?.taken : status?.held).toBe(2);
		await first?.settle({ kind: "parked" });
		await database.query("UPDATE chronicle.run SET parked = true WHERE holder IS NULL AND job IS NULL");
		if (limit.perMinute !== undefined) {
			// What was taken counts for a minute, even if the run is removed.
			value(await store("submitted").remove(idOf(1)));
			await expect(claim()).rejects.toThrow("a minute");
			await database.query(
				"UPDATE chronicle.claim SET at = now() - interval '61 seconds' WHERE ctid = (SELECT min(ctid) FROM chronicle.claim)",
			);
		}
		expect(value(await claim(restarted)).run.id).toBe(idOf(3));
		await expect(claim()).rejects.toThrow("no job");
		expect((await readStatus(database)).limits[0]?.waiting).toBe(0);
		await setLimit(database, { kind: limit.kind, name: limit.name });
		await submit(4);
		expect(value(await claim()).run.id).toBe(idOf(4));
	});

	it("counts every claim of a run for a rate, and keeps the project's other limits", async () => {
		const setUp = (limit: { most?: number; perMinute?: number }) => setUpEngine(database, { ...appSetup, ...limit });
		await setUp({ perMinute: 2 });
		await setUp({ most: 9 });
		await setUp({});
		expect((await readStatus(database)).limits).toMatchObject([{ kind: "project", most: 9, perMinute: 2 }]);
		await submit(1);
		for (let n = 0; n < 2; n += 1) await value(await claim()).settle({ kind: "again" });
		await expect(claim()).rejects.toThrow("2 runs of the project app a minute");
		for (const kind of ["project", "queue"] as const) expect(await isLimitable(database, kind, "nowhere")).toBe(false);
		expect(await isLimitable(database, "queue", "runs")).toBe(true);
		const states = { a: { persona: "A", model: "zeta/two", next: ["done"] } };
		value(await store("submitted").create(created({ id: idOf(2), definition: { name: "T", states } })));
		const { rows } = await database.query("SELECT provider FROM chronicle.run ORDER BY id");
		expect(rows).toEqual([{ provider: "acme" }, { provider: "zeta" }]);
	});

	describe("the children of a run", () => {
		const side = { persona: "B", next: ["done"] };
		const states = { a: { branches: { one: side, two: side }, next: ["done"] } };
		const start = {
			start: { head: "0".repeat(40), parent: null },
			trees: idOf(1),
			labels: [],
			ceilings: () => null,
		};
		/** A held run that has planned its children, and the first events of them. */
		const plan = async (host = open(database)) => {
			value(await store("submitted").create(created({ id: idOf(1), definition: { name: "T", states } })));
			await wakeRun(database, idOf(1));
			const ledger = value(await claim(host));
			const run = await tell(ledger, ledger.run, baseline);
			const firsts = (run.children?.children ?? []).map(({ id, index, name }) => ({
				...created({ id }),
				parent: { run: idOf(1), root: idOf(1), visit: 1, index, name, level: 1, files: "own" } as const,
			}));
			return { host, ledger, run, firsts };
		};
		const begin = async (host: Host, first: Created) => store("held", host).beginChild(first, start);
		const jobs = async () =>
			(await database.query("SELECT FROM chronicle_jobs.job WHERE state IN ('created', 'active')")).count;

		it("begin where their parent is held, once, and are taken by any host beyond the limits", async () => {
			await setLimit(database, { kind: "queue", name: "runs", most: 1 });
			const { host, firsts } = await plan();
			const [one, two] = firsts;
			if (!one || !two) throw new Error("no children");
			expect(await begin(open(database), one)).toMatchObject({ ok: false, failure: { reason: "fenced" } });
			for (const first of [one, two, one]) expect(value(await begin(host, first)).id).toBe(first.id);
			expect(await jobs()).toBe(3);
			// A tree that has begun comes before runs that wait, and counts once for a limit.
			await submit(2);
			const taken = [value(await claim()), value(await claim())];
			expect(taken.map(({ run }) => run.id).toSorted()).toEqual([one.id, two.id].toSorted());
			expect(taken.map(({ trees, earlier }) => [trees, earlier.head])).toEqual(
				Array(2).fill([idOf(1), start.start.head]),
			);
			await expect(claim()).rejects.toThrow("1 runs of the queue runs at once");
			const listed = (await store("held").list()).find(({ id }) => id === one.id);
			expect(listed).toMatchObject({ summary: { parent: { run: idOf(1), name: "one", index: 1 } } });
		});

		it("go on without the host of their parent, and without their own", async () => {
			const { host, firsts } = await plan();
			for (const first of firsts) await begin(host, first);
			const other = open(database);
			const child = value(await claim(other));
			const die = async ({ id }: Host): Promise<void> => {
				await database.query("UPDATE chronicle.host SET beat_at = now() - interval '1 hour' WHERE id = $1", [id]);
			};
			await die(host);
			expect(await reapRuns(database)).toEqual([idOf(1)]);
			value(await child.append([{ kind: "noted", text: "in time" }], "durable"));
			await die(other);
			expect(await reapRuns(database)).toEqual([child.run.id]);
			expect((await child.append([{ kind: "noted", text: "late" }], "durable")).ok).toBe(false);
			// One that has lost its job gets another when its parent asks for it.
			const [lost = ""] = firsts.map(({ id }) => id).filter((id) => id !== child.run.id);
			await database.query("UPDATE chronicle.run SET job = NULL WHERE id = $1", [lost]);
			expect(await wakeRuns(database)).toEqual([]);
			expect(await wakeRun(database, lost)).toBe(true);
		});

		it("are taken from their hosts, and take no commands, once their parent does not need them", async () => {
			const { ledger, run, host, firsts } = await plan();
			for (const first of firsts) await begin(host, first);
			const held = value(await claim());
			const other = firsts.find(({ id }) => id !== held.run.id);
			if (!other) throw new Error("no child");
			const pause = { kind: "pause_requested", cause: "person", detail: "" } as const;
			expect(await value(await store("submitted").post(held.run.id, pause)).state()).toEqual({ kind: "waiting" });
			const end = { total: NO_CHILD_SPEND, tree: null, handover: { summary: "", data: {} }, detail: "" };
			let now = run;
			for (const { id } of firsts)
				now = await tell(ledger, now, { kind: "child_ended", visit: 1, child: id, status: "done", ...end });
			expect(await value(await store("submitted").post(other.id, pause)).state()).toMatchObject({
				kind: "refused",
				reason: expect.stringContaining("no longer waits for this child"),
			});
			expect(await claim()).toMatchObject({ ok: false, failure: { reason: "unknown" } });
			await dropChildren(database, [held.run.id, other.id]);
			expect((await held.append([{ kind: "noted", text: "late" }], "durable")).ok).toBe(false);
			const left = "SELECT FROM chronicle.run WHERE id = $1 AND job IS NULL";
			expect((await database.query(left, [held.run.id])).count).toBe(1);
		});

		it("are at most 500 in a tree, whichever hosts add some at the same time", async () => {
			const { host, firsts } = await plan();
			const [one, two] = firsts;
			if (!one || !two) throw new Error("no children");
			await begin(host, one);
			const { rows } = await database.query<{ column_name: string }>(
				`SELECT column_name FROM information_schema.columns
				WHERE table_schema = 'chronicle' AND table_name = 'run' AND column_name NOT IN ('id', 'parent', 'updated_hour')`,
			);
			const columns = rows.map(({ column_name: name }) => name).join(", ");
			await database.query(
				`INSERT INTO chronicle.run (id, parent, ${columns}) SELECT gen_random_uuid(), $1::uuid, ${columns}
				FROM chronicle.run, generate_series(1, 498) WHERE id = $1`,
				[one.id],
			);
			const extra = { ...two, id: idOf(77) };
			const both = await Promise.all([begin(host, two), begin(host, extra)]);
			expect(both.map(({ ok }) => ok).toSorted()).toEqual([false, true]);
			expect(both.find(({ ok }) => !ok)).toMatchObject({
				failure: { message: expect.stringContaining("at most 500") },
			});
		});
	});

	it.each([
		[0, true, /^0s (?:behind|ahead of) the database's$/],
		[600_000, false, /^(?:10m0|9m5)\ds ahead of the database's: synchronize both/],
		[-600_000, false, /^(?:10m0|9m5)\ds behind the database's: synchronize both/],
	])("has its clock compared with that of a host that is %d ms ahead", async (ms, ok, text) => {
		const { now } = Date;
		const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + ms);
		const project = { place: { cwd: openFolder(), pi: {}, models: async () => [] } } as never;
		const findings = await examine(database, project, openFolder()).finally(() => clock.mockRestore());
		expect(findings.find(({ what }) => what === "clock")).toEqual({
			...{ what: "clock", ok, text: expect.stringMatching(text) },
		});
	});

	it("is refused by versions older than its tables, and migrated by newer ones", async () => {
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
		await database.query("ALTER TABLE chronicle.project ADD COLUMN most int DEFAULT 7");
		await database.query("ALTER TABLE chronicle.run DROP COLUMN parent CASCADE, DROP COLUMN trees, DROP COLUMN child");
		await database.query("DROP TABLE chronicle.snapshot");
		expect(await initialize(database)).toEqual([]);
		expect(await checkVersion(database)).toBe(undefined);
		expect((await readStatus(database)).limits).toMatchObject([{ kind: "project", name: "app", most: 7, waiting: 0 }]);
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
			const host = open(database);
			value(await claim(host));
			await host.leave();
			expect(await reapRuns(database)).toEqual([idOf(1)]);
		}
		await database.query("UPDATE chronicle.host SET beat_at = now() - interval '2 days'");
		// Of a host whose owner sends no notices any more.
		await database.query(
			"INSERT INTO chronicle.channel VALUES ('app', 'c', 'Ops', '{done}', now() - interval '2 days')",
		);
		await database.query(
			"INSERT INTO chronicle.notice (run, seq, kind, channel, name) VALUES ($1, 1, 'done', 'c', 'Ops')",
			[idOf(1)],
		);
		const worker = new EngineWorker({
			...{ database, host: open(database, { slots: 1 }), slots: 1, queues: ["runs"], labels: [], report: () => {} },
			projects: [{ name: "app", remote: "/nowhere", cleanup: "never", place: {} as never }],
			data: openFolder(),
		});
		const working = worker.work();
		const left = async () =>
			(await database.query("SELECT FROM chronicle_jobs.job WHERE data->>'run' = $1", [idOf(2)])).count;
		await expect.poll(left, { timeout: patient(20_000) }).toBe(0);
		expect((await database.query("SELECT FROM chronicle.host WHERE beat_at < now() - interval '1 day'")).count).toBe(0);
		expect((await readStatus(database)).channels).toMatchObject([{ name: "Ops", waiting: 0, failed: 1 }]);
		const read = async () => value(await store("held").read(idOf(1))).run;
		await expect.poll(async () => (await read()).status, { timeout: patient(20_000) }).toBe("paused");
		expect((await read()).hold?.detail).toMatch(/gave up the run after 5 attempts.*stopped renewing its lease/);
		worker.stop();
		await working;
	});

	it("stops a host when its tables get another version, and rejects writes of an earlier version", {
		timeout: patient(60_000),
	}, async () => {
		const { rows } = await database.query<{ version: number }>("SELECT version FROM chronicle.meta");
		const own = rows[0]?.version ?? 0;
		const setVersion = (version: number) => database.query("UPDATE chronicle.meta SET version = $1", [version]);
		await submit(1);
		const held = value(await claim());
		value(await held.append([{ kind: "noted", text: "before" }], "durable"));
		for (const { other, breaks } of [
			{ other: own + 1, breaks: false },
			{ other: own + 1, breaks: true },
			{ other: own - 1, breaks: false },
		]) {
			const said: string[] = [];
			const worker = new EngineWorker({
				...{ database, host: open(database, { slots: 1, leaseMs: 1500 }), slots: 1, queues: ["runs"], labels: [] },
				projects: [{ name: "app", remote: "/nowhere", cleanup: "never", place: {} as never }],
				...{ data: openFolder(), report: (text: string) => void said.push(text) },
			});
			const working = worker.work();
			await expect.poll(async () => (await readStatus(database)).hosts.length, { timeout: patient(20_000) }).toBe(1);
			// A newer version may have renamed what a host renews.
			if (breaks) await database.query("ALTER TABLE chronicle.host RENAME COLUMN beat_at TO renewed_at");
			await setVersion(other);
			const failure = await working;
			expect(failure?.message).toContain(`The engine's tables have version ${other}`);
			if (breaks) await database.query("ALTER TABLE chronicle.host RENAME COLUMN renewed_at TO beat_at");
			await setVersion(own);
			expect((await readStatus(database)).hosts).toEqual([]);
		}
		await setVersion(own - 1);
		expect(await initialize(database)).toEqual([]);
		const late = await held.append([{ kind: "noted", text: "after" }], "durable");
		expect(!late.ok && late.failure.reason).toBe("fenced");
		const { events } = value(await store("held").read(idOf(1)));
		const seqs: number[] = [];
		for await (const { seq } of events()) seqs.push(seq);
		expect(seqs).toEqual([1, 2]);
	});
});
