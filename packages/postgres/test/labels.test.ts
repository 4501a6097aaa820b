// Runs whose states require labels: their jobs go to hosts that have them, and wait visibly if none does. Hosts are objects in this process.

import type { EventBody, UserEvent } from "@pi-chronicle/core/machine";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, id, tell, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import type { Host } from "../src/host.ts";
import { type Database, initialize, openHost, queueName, readStatus, setUpEngine } from "../src/index.ts";
import { isServed } from "../src/jobs.ts";
import { handOver, reapRuns } from "../src/settle.ts";
import { LabelsMissing } from "../src/store.ts";
import { attended } from "./attended.ts";
import { appSetup, openEngine, queue as plain, storeOf } from "./open-engine.ts";

const gpu = queueName("app", "runs", ["gpu"]);
const trained = { states: { train: { persona: "A", host: ["gpu"], next: ["report"] }, report: { persona: "B" } } };
const abort: UserEvent = { kind: "abort_requested", words: "never mind" };

describe("the job of a run", needsPostgres, () => {
	let database: Database;
	const hosts: Host[] = [];
	const open = (labels: readonly string[], project = "app"): Host => {
		// None renews its row during a test, so that one that is deleted stays away.
		const offer = { slots: 1, projects: [project], queues: ["runs"], labels, leaseMs: 3_600_000 };
		const opened = openHost(database, { name: `with-${labels.join("-")}`, ...offer });
		hosts.push(opened);
		return opened;
	};
	const host = (labels: readonly string[]) => open(labels);
	const store = (on = openHost(database), queue = plain) =>
		attended(database, storeOf(database, "submitted", { host: on, queue }));
	/** Takes the next job of a queue as a host with these labels does; `undefined`: there is none, or it was sent on. */
	const take = (queue: string, on: Host) =>
		database.transaction(async (tx) => {
			const boss = await database.boss();
			if (!(await boss.getQueue(queue))) return undefined;
			const [job] = await boss.fetch<{ run: string }>(queue, { db: tx });
			if (!job) return undefined;
			const attempt = { id: job.id, queue, retryCount: job.retryCount };
			try {
				return value(await store(on).claim(tx, job.data.run, attempt));
			} catch (error) {
				if (!(error instanceof LabelsMissing)) throw error;
				await handOver(database, tx, job.data.run, attempt, error.need);
				return undefined;
			}
		});
	const queued = async () => {
		const { rows } = await database.query<{ name: string }>(
			"SELECT name FROM chronicle_jobs.job j JOIN chronicle.run r ON r.job = j.id WHERE j.state IN ('created', 'retry') ORDER BY name",
		);
		return rows.map(({ name }) => name);
	};
	const measured = (visit: number): EventBody => ({
		...{ kind: "files_measured", visit, purpose: "baseline", tree: "a".repeat(40) },
	});
	const why = async () => [
		value(await store().read(id)).queued,
		(await readStatus(database)).stuck.map((one) => one.why),
	];

	beforeAll(async () => {
		({ database } = await openEngine());
	});
	beforeEach(async () => {
		await database.query("DELETE FROM chronicle.run");
		await database.query("DELETE FROM chronicle.host");
		await (await database.boss()).deleteAllJobs();
	});

	afterEach(async () => {
		await Promise.all(hosts.splice(0).map((one) => one.leave()));
	});

	it("goes to hosts with the labels of its state, creates their queue, and reports missing labels", async () => {
		value(await store().create(created({ definition: trained })));
		expect(await queued()).toEqual([gpu]);
		const none = "Waits for a host with the label gpu: no host that is up offers gpu.";
		expect(await why()).toEqual([none, [none]]);
		await host(["big"]).register();
		await open(["gpu"], "other").register();
		expect(await why()).toEqual([none, [none]]);
		const right = host(["gpu", "big"]);
		await right.register();
		expect(await why()).toEqual(["Waits for a host with the label gpu.", []]);
		const held = value({ ok: true, value: await take(gpu, right) });
		expect(held?.run.state).toBe("train");
		expect(await why()).toEqual([undefined, []]);
	});

	it("needs one host with both the labels of the run and those of its state", async () => {
		const big = queueName("app", "runs", ["big"]);
		await setUpEngine(database, { ...appSetup, labels: ["big"] });
		value(await store(undefined, big).create(created({ definition: trained })));
		expect(await queued()).toEqual([queueName("app", "runs", ["big", "gpu"])]);
		await host(["gpu"]).register();
		await host(["big"]).register();
		const [text] = await why();
		expect(text).toBe("Waits for a host with the labels big, gpu: no host that is up offers all of them.");
	});

	it("is forwarded by a host that lacks the labels needed now, and never returns to it", async () => {
		value(await store().create(created({ definition: trained })));
		// As left by a version that knew no labels.
		await (await database.boss()).deleteAllJobs();
		await database.query("UPDATE chronicle.run SET needs = '{}', job = NULL, job_queue = NULL");
		value(await store().wake(id));
		expect(await queued()).toEqual([plain]);
		expect(await take(plain, host([]))).toBe(undefined);
		expect(await queued()).toEqual([gpu]);
		expect(await take(plain, host([]))).toBe(undefined);
		expect((await take(gpu, host(["gpu"])))?.run.id).toBe(id);
		expect(await queued()).toEqual([]);
	});

	it("goes to any host with a command that starts nothing, and the job that waited counts no more", async () => {
		value(await store().create(created({ definition: trained })));
		value(await store().post(id, abort));
		value(await store().post(id, { kind: "told", text: "hello" }));
		expect(await queued()).toEqual([plain]);
		const held = await take(plain, host([]));
		if (!held) throw new Error("not taken");
		expect(await queued()).toEqual([]);
		const run = await tell(held, held.run, abort);
		expect(run.status).toBe("aborted");
		await database.query("UPDATE chronicle.inbox SET state = 'taken'");
		await held.settle({ kind: "parked" });
		expect(await queued()).toEqual([]);
		await expect(take(gpu, host(["gpu"]))).rejects.toThrow("Another job of the run is current.");
	});

	it("stays with hosts that have the labels while its work is in progress, as do commands", async () => {
		value(await store().create(created({ definition: trained })));
		const first = host(["gpu"]);
		const held = await take(gpu, first);
		if (!held) throw new Error("not taken");
		const run = await tell(held, held.run, measured(1));
		expect(run.stage.kind).toBe("launching");
		await database.query("UPDATE chronicle.host SET beat_at = now() - interval '2 hours' WHERE id = $1", [first.id]);
		expect(await reapRuns(database)).toEqual([id]);
		value(await store().post(id, { kind: "told", text: "hello" }));
		const second = host(["gpu"]);
		await second.register();
		value(await store().post(id, abort));
		expect(await queued()).toEqual([gpu]);
	});

	it("that would end the run goes to any host if none has the labels, whatever was in progress", async () => {
		const big = queueName("app", "runs", ["big"]);
		await setUpEngine(database, { ...appSetup, labels: ["big"] });
		for (const [submitted, worked] of [
			[plain, true],
			[plain, false],
			[big, false],
		] as const) {
			await database.query("DELETE FROM chronicle.run");
			await (await database.boss()).deleteAllJobs();
			value(await store(undefined, submitted).create(created({ definition: trained })));
			const [narrow = ""] = await queued();
			if (worked) {
				const first = host(["gpu"]);
				const held = await take(narrow, first);
				if (held) await tell(held, held.run, measured(1));
				await first.leave();
				expect(await reapRuns(database)).toEqual([id]);
			}
			value(await store().post(id, { kind: "told", text: '"kind":"abort_requested"' }));
			expect((await queued()).includes(plain), "only a message").toBe(!worked && submitted === plain);
			value(await store().post(id, abort));
			expect(await queued()).toEqual([plain]);
			const held = await take(plain, host([]));
			expect(held?.run.id).toBe(id);
			await held?.settle({ kind: "failed", reason: "x" });
			expect(await queued()).toContain(plain);
		}
	});

	it("follows the run to its next state in the transaction that releases it, also if the host dies before that", async () => {
		const states = { report: { persona: "B", next: ["train"] }, train: trained.states.train };
		for (const dies of [false, true]) {
			await database.query("DELETE FROM chronicle.run");
			value(await store().create(created({ definition: { states } })));
			const first = host([]);
			const held = await take(plain, first);
			if (!held) throw new Error("not taken");
			let run = await tell(held, held.run, measured(1));
			run = await tell(held, run, { kind: "abort_requested" });
			const { stage } = run;
			if (stage.kind !== "stopping" || !stage.launch) throw new Error("no worker");
			run = await tell(held, run, { kind: "worker_ended", ...stage.launch, outcome: { kind: "stopped" } });
			run = await tell(held, run, { ...measured(1), purpose: "changes", changes: [] } as EventBody);
			if (run.stage.kind !== "over") throw new Error("not over");
			await tell(held, run, { kind: "reopened", answers: run.stage.since, to: "train" });
			if (dies) {
				await database.query("UPDATE chronicle.host SET beat_at = now() - interval '2 hours' WHERE id = $1", [
					first.id,
				]);
				expect(await reapRuns(database)).toEqual([id]);
			} else await held.settle({ kind: "again" });
			expect(await queued()).toEqual([gpu]);
			const { rows } = await database.query("SELECT holder, job_queue FROM chronicle.run");
			expect(rows).toEqual([{ holder: null, job_queue: gpu }]);
			await (await database.boss()).deleteAllJobs();
		}
	});

	it("leaves its run held until it is settled: a host that dies in between leaves nothing behind", async () => {
		value(await store().create(created({ definition: trained })));
		const first = host(["gpu"]);
		const held = await take(gpu, first);
		await held?.releaseLease();
		await database.query("UPDATE chronicle.host SET beat_at = now() - interval '2 hours' WHERE id = $1", [first.id]);
		expect(await reapRuns(database)).toEqual([id]);
		expect(await queued()).toEqual([gpu]);
	});

	it("works in databases of the previous version after their migration", async () => {
		await database.query("ALTER TABLE chronicle.run DROP COLUMN needs, DROP COLUMN bound, DROP COLUMN job_queue");
		await database.query("ALTER TABLE chronicle.host DROP COLUMN labels, DROP COLUMN projects");
		await database.query("UPDATE chronicle.meta SET version = version - 1");
		for (let time = 0; time < 2; time += 1) expect(await initialize(database)).toEqual([]);
		value(await store().create(created({ definition: trained })));
		expect(await queued()).toEqual([gpu]);
	});

	it("is served by hosts of its project and queue that have at least its labels", () => {
		const all = { project: "app", queues: ["runs", "slow"], labels: ["gpu", "big"] };
		const names = [
			"app/runs",
			"app/slow/gpu",
			"app/runs/big/gpu",
			"app/runs/tpu",
			"app/fast",
			"other/runs",
			"app/.dead",
		];
		expect(names.filter((name) => isServed(name, all))).toEqual(names.slice(0, 3));
	});
});
