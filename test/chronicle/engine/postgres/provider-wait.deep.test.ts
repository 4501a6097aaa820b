// Waiting out a provider on an engine: a run that waits is given back, with a job that is due later; no slot, no process and hardly a
// statement meanwhile. Hosts are in this process, and their workers play a script.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import {
	type Database,
	EngineWorker,
	openHost,
	openPostgresStore,
	openSharedWorkspace,
	queueName,
	setUpEngine,
} from "../../../../src/chronicle/engine/postgres/index.ts";
import type { Project } from "../../../../src/chronicle/engine/project/index.ts";
import { openRedaction } from "../../../../src/safety/index.ts";
import { openFolder } from "../../../harness/folder.ts";
import { patient } from "../../../harness/patience.ts";
import { type Cluster, needsPostgres, startPostgres } from "../../../harness/postgres.ts";
import { created, value } from "../ledger/sample-events.ts";
import { moveTo, type Play } from "../supervisor/scripted-launcher.ts";
import { openStage } from "../supervisor/stage.ts";
import { connect } from "./connect.ts";

const definition = { name: "T", states: { a: { persona: "A", next: ["done"] } } };
const idOf = (n: number): string => `bbbbbbbb-0000-4000-8000-${String(n).padStart(12, "0")}`;
const limit = { timeout: patient(30_000) };
const waiting = 20;

describe("a run that waits for its provider on an engine", needsPostgres, () => {
	let cluster: Cluster;
	let database: Database;
	const root = openFolder();
	const remote = join(root, "remote.git");
	const cwd = join(root, "project");
	const git = (...args: string[]) => spawnSync("git", args, { cwd });
	const store = () =>
		openPostgresStore({
			...{ database, host: openHost(database), clock: Date, redact: openRedaction({}), project: "app" },
			...{ queue: queueName("app", "runs"), folderOf: (run: string) => join(root, "runs", run) },
			creates: {
				kind: "submitted",
				async base(run) {
					const folder = join(root, "submit", run.id);
					const files = await openSharedWorkspace({ run: run.id, remote, cwd, folder, leftOut: [] }).snapshot();
					return files.ok
						? { ok: true, value: files.value.tree }
						: { ok: false, failure: { ...files.failure, reason: "io" } };
				},
			},
		});

	/** By run: until when its provider fails, and the moment that it names. */
	const outages = new Map<string, { until: number; named?: number }>();
	const starts: string[] = [];
	const play: (id: string) => Play = (id) => async (host, order, ended) => {
		starts.push(id);
		const outage = outages.get(id);
		if (!outage || Date.now() >= outage.until) return moveTo("done")(host, order, ended);
		const retryAt = outage.named === undefined ? {} : { retryAt: new Date(outage.named).toISOString() };
		host.report({ kind: "turn_settled", stop: "transient", detail: "529 Overloaded", ...retryAt });
		await ended;
	};
	const openWorker = async (
		name: string,
	): Promise<{ stop(): Promise<unknown>; readonly running: readonly string[] }> => {
		const on = await connect(cluster.url);
		const worker = new EngineWorker({
			...{
				database: on,
				host: openHost(on, { slots: 2, name }),
				slots: 2,
				queues: ["runs"],
				labels: [],
				report: () => {},
			},
			projects: [
				{
					...{
						name: "app",
						remote,
						cleanup: "never",
						place: { agentFolder: join(root, "agent"), home: root, env: process.env, pi: {} } as never,
					},
					ports: (project: Project, ledger) => {
						const { id } = ledger.run;
						const { ports } = openStage(Array.from({ length: 20 }, () => play(id)));
						return { ...project.ports(ledger, ports.approver), launcher: ports.launcher };
					},
				},
			],
			data: join(root, "hosts", name),
		});
		const done = worker.work();
		return {
			stop() {
				worker.stop();
				return done;
			},
			get running() {
				return worker.running;
			},
		};
	};
	const statusOf = async (n: number): Promise<string> => value(await store().read(idOf(n))).run.status;
	const count = async (status: string): Promise<number> => {
		const { rows } = await database.query<{ count: number }>(
			"SELECT count(*)::int AS count FROM chronicle.run WHERE status = $1",
			[status],
		);
		return rows[0]?.count ?? 0;
	};
	const submit = async (n: number): Promise<void> =>
		void value(await store().create(created({ id: idOf(n), definition })));

	beforeAll(async () => {
		mkdirSync(cwd);
		git("init", "-q", "--bare", remote);
		git("init", "-q");
		appendFileSync(join(cwd, "file.txt"), "one\n");
		git("add", "-A");
		git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "first");
		cluster = await startPostgres();
		database = await connect(cluster.url);
		await setUpEngine(database, { project: "app", queues: [], labels: [], members: [] });
	});

	it("holds no host and no slot, is continued when it is due by whichever host is there, and takes commands at once", {
		timeout: patient(120_000),
	}, async () => {
		const a = await openWorker("a");
		// Due in a few seconds: after another host has replaced this one.
		outages.set(idOf(1), { until: Date.now() + 5000, named: Date.now() + patient(6000) });
		outages.set(idOf(2), { until: Date.now() + 3000, named: Date.now() + 3_600_000 });
		await Promise.all([submit(1), submit(2)]);
		await expect.poll(() => count("awaiting_provider"), limit).toBe(2);
		await expect.poll(() => a.running, limit).toEqual([]);
		const read = value(await store().read(idOf(1)));
		expect([read.holder, read.run.providerWait?.tries]).toEqual([undefined, 1]);
		expect(starts).toHaveLength(2);
		await a.stop();
		const b = await openWorker("b");
		await expect.poll(() => statusOf(1), limit).toBe("done");
		expect(starts.filter((id) => id === idOf(1))).toHaveLength(2);
		expect(await statusOf(2)).toBe("awaiting_provider");
		const { stage } = value(await store().read(idOf(2))).run;
		await sleep(Math.max(0, (outages.get(idOf(2))?.until ?? 0) - Date.now()));
		const answers = stage.kind === "awaiting_provider" ? stage.since : 0;
		value(await store().post(idOf(2), { kind: "resumed", answers }));
		await expect.poll(() => statusOf(2), limit).toBe("done");
		await b.stop();
	});

	it("costs nothing while it waits: 20 of them, one host", { timeout: patient(180_000) }, async () => {
		const until = Date.now() + 3_600_000;
		const host = await openWorker("c");
		for (let n = 100; n < 100 + waiting; n += 1) {
			outages.set(idOf(n), { until, named: until });
			await submit(n);
		}
		await expect.poll(() => count("awaiting_provider"), { timeout: patient(90_000) }).toBe(waiting);
		await expect.poll(() => host.running, limit).toEqual([]);
		const transactions = async (): Promise<number> => {
			const { rows } = await database.query<{ n: string }>(
				"SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()",
			);
			return Number(rows[0]?.n);
		};
		await sleep(1500);
		const [before, began] = [await transactions(), Date.now()];
		await sleep(6000);
		const perSecond = ((await transactions()) - before) / ((Date.now() - began) / 1000);
		if (process.env.CHRONICLE_FIGURES)
			console.log({ waiting, transactionsPerSecond: perSecond, running: host.running.length });
		// As many as an idle host without any run makes.
		expect(perSecond).toBeLessThan(4);
		expect(starts.filter((id) => id >= idOf(100))).toHaveLength(waiting);
		await host.stop();
	});
});
