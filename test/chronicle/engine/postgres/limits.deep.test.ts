// Limits with hosts that do real jobs: two workers take runs from Postgres, prepare their folders from a git remote, and supervise them with workers
// that play a script in this process.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
	type Database,
	EngineWorker,
	openHost,
	openPostgresStore,
	openSharedWorkspace,
	queueName,
	readStatus,
	setLimit,
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
const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;
const limit = { timeout: patient(20_000) };

describe("limits of an engine", needsPostgres, () => {
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
	const submit = async (n: number, model: string): Promise<void> =>
		void value(await store().create({ ...created({ id: idOf(n), definition }), model }));

	/** The runs whose worker has started, in order; each works until the test ends its work. */
	const started: number[] = [];
	const working = new Map<number, () => void>();
	const play: (n: number) => Play = (n) => async (host, order, ended) => {
		started.push(n);
		await new Promise<void>((resolve) => working.set(n, resolve));
		working.delete(n);
		await moveTo("done")(host, order, ended);
	};
	const openWorker = async (name: string): Promise<{ stop(): Promise<unknown> }> => {
		const on = await connect(cluster.url);
		const worker = new EngineWorker({
			...{
				database: on,
				host: openHost(on, { slots: 4, name }),
				slots: 4,
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
						const { ports } = openStage([play(Number(ledger.run.id.slice(-4)))]);
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
		};
	};
	const finish = async (n: number): Promise<void> => {
		await expect.poll(() => working.has(n), limit).toBe(true);
		working.get(n)?.();
	};

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
			(await store().list()).every((entry) => entry.kind === "run" && entry.summary.status === "done");
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
			.poll(async () => (await readStatus(database)).held.map(({ why }) => why), limit)
			.toEqual([
				"Waits for the limit of 1 runs with acme a minute.",
				"Waits for the limit of 1 runs with acme a minute.",
			]);
		await database.query("DELETE FROM chronicle.claim");
		await expect.poll(() => started.length, limit).toBe(3);
		await c.stop();
	});
});
