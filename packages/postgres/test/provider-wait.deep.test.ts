// Waiting out a provider on an engine: a run that waits is given back, with a job that is due later; no slot, no process and hardly a
// statement meanwhile. Hosts are in this process, and their workers play a script.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { patient, within } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo, type Play } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import type { Database } from "../src/index.ts";
import { type HostStage, openHostStage } from "./host-stage.ts";

const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;
const limit = { timeout: patient(30_000) };
const waiting = 20;

describe("a run that waits for its provider on an engine", needsPostgres, () => {
	let stage: HostStage;
	let database: Database;

	/** By run: until when its provider fails, and the moment that it names. */
	const outages = new Map<number, { until: number; named?: number }>();
	const starts: number[] = [];
	const play: (n: number) => Play = (id) => async (host, order, ended) => {
		starts.push(id);
		const outage = outages.get(id);
		if (!outage || Date.now() >= outage.until) return moveTo("done")(host, order, ended);
		const retryAt = outage.named === undefined ? {} : { retryAt: new Date(outage.named).toISOString() };
		host.report({ kind: "turn_settled", stop: "transient", detail: "529 Overloaded", ...retryAt });
		await ended;
	};
	const openWorker = (name: string) => stage.host(name, { slots: 2, play });
	const runOf = async (n: number) => value(await stage.store().read(idOf(n)));
	const statusOf = async (n: number): Promise<string> => (await runOf(n)).run.status;
	const count = async (status: string): Promise<number> => {
		const { rows } = await database.query<{ count: number }>(
			"SELECT count(*)::int AS count FROM chronicle.run WHERE status = $1",
			[status],
		);
		return rows[0]?.count ?? 0;
	};
	const submit = (n: number) => stage.submit(n);

	beforeAll(async () => {
		stage = await openHostStage();
		database = stage.database;
	});

	it("holds no host and no slot, is continued when it is due by whichever host is there, and takes commands at once", {
		timeout: patient(120_000),
	}, async () => {
		const a = await openWorker("a");
		// Due in a few seconds: after another host has replaced this one.
		outages.set(1, { until: Number.POSITIVE_INFINITY, named: Date.now() + within(9000) });
		outages.set(2, { until: Number.POSITIVE_INFINITY, named: Date.now() + 3_600_000 });
		await Promise.all([submit(1), submit(2)]);
		await expect.poll(() => count("awaiting_provider"), limit).toBe(2);
		await expect.poll(() => a.worker.running, limit).toEqual([]);
		const read = await runOf(1);
		expect([read.holder, read.run.providerWait?.tries]).toEqual([undefined, 1]);
		expect(starts).toHaveLength(2);
		await a.stop();
		outages.delete(1);
		const b = await openWorker("b");
		await expect.poll(() => statusOf(1), limit).toBe("done");
		expect(starts.filter((n) => n === 1)).toHaveLength(2);
		expect(await statusOf(2)).toBe("awaiting_provider");
		const { stage: waits } = (await runOf(2)).run;
		outages.delete(2);
		const answers = waits.kind === "awaiting_provider" ? waits.since : 0;
		value(await stage.store().post(idOf(2), { kind: "resumed", answers }));
		await expect.poll(() => statusOf(2), limit).toBe("done");
		await b.stop();
	});

	it("costs nothing while it waits: 20 of them, one host", { timeout: patient(180_000) }, async () => {
		const until = Date.now() + 3_600_000;
		const host = await openWorker("c");
		const watchedMs = 20_000;
		/** Statements a second of all connections of this process. Postgres counts late: a connection reports up to 10 s after its work. */
		const statements = async (): Promise<number> => {
			// A host that has just started, or given runs back, is still settling.
			await sleep(patient(5000));
			const queries = vi.spyOn(pg.Client.prototype, "query");
			await sleep(watchedMs);
			const perSecond = queries.mock.calls.length / (watchedMs / 1000);
			queries.mockRestore();
			return perSecond;
		};
		// An idle host renews its lease, searches for lost runs, and looks for jobs.
		const idle = await statements();
		for (let n = 100; n < 100 + waiting; n += 1) {
			outages.set(n, { until, named: until });
			await submit(n);
		}
		await expect.poll(() => count("awaiting_provider"), { timeout: patient(90_000) }).toBe(waiting);
		await expect.poll(() => host.worker.running, limit).toEqual([]);
		const added = (await statements()) - idle;
		if (process.env.CHRONICLE_FIGURES)
			console.log({ waiting, statementsPerSecond: added, running: host.worker.running.length });
		expect(idle).toBeGreaterThan(1);
		expect(idle).toBeLessThan(4);
		expect(added).toBeLessThan(1);
		expect(starts.filter((n) => n >= 100)).toHaveLength(waiting);
		await host.stop();
	});
});
