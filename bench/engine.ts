// Runs on an engine: what a state costs more than on one machine, what hosts do in a second, what waiting runs cost, and how soon another host
// continues the runs of a dead one. Needs Postgres. In this process, with workers that play a script: the cost of pi itself is in supervisor.ts.
import { randomBytes, randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HeldLedger, Workspace } from "@pi-chronicle/core/ports";
import { type Database, EngineWorker, openHost } from "@pi-chronicle/postgres";
import { openFileStore } from "../packages/pi-chronicle/src/local/ledger/index.ts";
import { openSharedWorkspace } from "../packages/pi-chronicle/src/local/remote/index.ts";
import { supervise } from "../packages/pi-chronicle/src/local/supervisor/index.ts";
import { openGitWorkspace, runGit } from "../packages/pi-chronicle/src/local/workspace/index.ts";
import { startPostgres } from "../packages/pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../packages/pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo, type Play } from "../packages/pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { openStage } from "../packages/pi-chronicle/test/local/supervisor/stage.ts";
import { publishSegment } from "../packages/postgres/src/publishing.ts";
import { wakeRun } from "../packages/postgres/src/settle.ts";
import { connect } from "../packages/postgres/test/connect.ts";
import { openEngine, storeOf as openStore, queue } from "../packages/postgres/test/open-engine.ts";
import { type Figures, median, type Row } from "./figure.ts";

const states = 12;
/** Milliseconds that a scripted worker works. */
const workMs = 400;
const rounds = 3;
const noOpRuns = 120;
const statesPerRun = 3;
const slots = 8;
const waiting = 500;
const watchedMs = 20_000;

export async function bench(): Promise<Figures> {
	const { cluster, database } = await openEngine(await startPostgres({ fsync: true }));
	const rows: Row[] = [
		...(await measureStates(database)),
		await measureThroughput([database, await connect(cluster.url)]),
		await measureTakeover(database),
		await measureWaiting(database, cluster.log),
	];
	return {
		name: "engine",
		rows,
		how: `Postgres with fsync on the loopback address, on the same cores; the git remote is a folder. A state: a scripted worker that changes files, works for ${workMs} ms, which are taken off, and moves; from one worker's start to the next's, medians of ${rounds} runs of ${states} states, local and engine in turns. No-op states: ${noOpRuns} runs of ${statesPerRun} states, six appends each.`,
	};
}

function storeOf(database: Database, creates: "held" | "submitted", host = openHost(database)) {
	return openStore(database, creates, { host, folderOf: (run) => join(tmpdir(), "bench-engine-runs", run) });
}

/** What the worker of state `n` changes. */
const changes: Readonly<Record<string, (cwd: string, n: number) => void>> = {
	"no file": () => {},
	"one small file": (cwd, n) => appendFileSync(join(cwd, "file.txt"), `line ${n}\n`),
	// Of random bytes: compression does not help.
	"1 MB": (cwd) => writeFileSync(join(cwd, "large"), randomBytes(1_000_000)),
};

/** Milliseconds that a state takes on one machine, and on an engine, by what it changes. */
async function measureStates(database: Database): Promise<Row[]> {
	const rows: Row[] = [];
	// One host: each renews its lease from now on.
	const store = storeOf(database, "held");
	for (const [what, change] of Object.entries(changes)) {
		const times = { local: [] as number[], engine: [] as number[] };
		for (let round = 0; round < rounds; round += 1) {
			times.local.push(...(await timeLocally(change)));
			times.engine.push(...(await timeOnEngine(database, store, change)));
		}
		const [local, engine] = [median(times.local), median(times.engine)];
		rows.push(
			{ figure: `a state that changes ${what}, on one machine`, value: local, unit: "ms" },
			{ figure: "the same on an engine", value: engine, unit: "ms" },
			{ figure: `overhead of a state that changes ${what}`, value: engine - local, unit: "ms", must: { most: 60 } },
		);
	}
	return rows;
}

type Change = (cwd: string, n: number) => void;

async function timeLocally(change: Change): Promise<number[]> {
	const files = openFileStore({ sessions: mkdtempSync(join(tmpdir(), "bench-engine-")), clock: Date });
	const cwd = await makeRepository();
	const local = value(await files.create(first()));
	const workspace = openGitWorkspace({ cwd, folder: join(local.folder, "work"), leftOut: [] });
	return timeRun({ ledger: local, workspace, cwd, change });
}

async function timeOnEngine(database: Database, store: ReturnType<typeof storeOf>, change: Change): Promise<number[]> {
	const cwd = await makeRepository();
	const { id } = value(await store.create(first())).run;
	await database.query("UPDATE chronicle.run SET holder = NULL WHERE id = $1", [id]);
	const ledger = value(await store.open(id));
	const workspace = openSharedWorkspace({
		...{ run: id, remote: join(cwd, "..", "remote.git"), cwd, folder: join(ledger.folder, "work") },
		leftOut: [],
	});
	// The run's first files are there, as after its submission.
	if (!(await workspace.snapshot()).ok) throw new Error("The first files could not be published.");
	const leftovers = { keep: async () => ({ ok: true, value: [] }) as const, note: async () => undefined };
	ledger.use(publishSegment(ledger, workspace, leftovers, () => {}).hooks);
	return timeRun({ ledger, workspace, cwd, change });
}

function first() {
	const states = { a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a", "done"] } };
	const limits = { moves: 10_000, pair_moves: 10_000 };
	return created({ id: randomUUID(), definition: { name: "T", states, limits } });
}

/** A repository with one commit and a bare remote beside it. */
async function makeRepository(): Promise<string> {
	const root = mkdtempSync(join(tmpdir(), "bench-engine-"));
	const cwd = join(root, "project");
	mkdirSync(cwd);
	await runGit({ args: ["init", "-q"], cwd });
	// A host's working folder is at a commit.
	const who = ["-c", "user.name=b", "-c", "user.email=b@localhost"];
	await runGit({ args: [...who, "commit", "-q", "--allow-empty", "-m", "first"], cwd });
	await runGit({ args: ["init", "-q", "--bare", join(root, "remote.git")], cwd });
	return cwd;
}

interface TimedRun {
	readonly ledger: HeldLedger;
	readonly workspace: Workspace;
	readonly cwd: string;
	readonly change: Change;
}

/** Milliseconds of each state from the start of its worker to that of the next, without the worker's own time. */
async function timeRun({ ledger, workspace, cwd, change }: TimedRun): Promise<number[]> {
	const starts: number[] = [];
	const plays = Array.from({ length: states }, (_, n): Play => {
		const move = moveTo(n === states - 1 ? "done" : n % 2 === 0 ? "b" : "a");
		return async (...args) => {
			starts.push(performance.now());
			change(cwd, n);
			// Files and the branch of the run are pushed meanwhile.
			await sleep(workMs);
			return move(...args);
		};
	});
	const { ports } = openStage(plays);
	const end = await supervise(ledger, { ...ports, workspace }, "fresh").ended;
	if (end.run.status !== "done") throw new Error(`The run ended as ${end.run.status}: ${end.run.hold?.detail}`);
	return starts.slice(1).map((start, n) => start - (starts[n] ?? 0) - workMs);
}

/** Takes the next job and its run; `undefined` if there is none. */
async function claimNext(on: Database, store: ReturnType<typeof storeOf>) {
	const boss = await on.boss();
	return await on.transaction(async (tx) => {
		const [job] = await boss.fetch<{ run: string }>(queue, { db: tx });
		return job && value(await store.claim(tx, job.data.run, { id: job.id, queue, retryCount: job.retryCount }));
	});
}

/** States per second of two hosts that take jobs, record events, and settle. */
async function measureThroughput(databases: readonly Database[]): Promise<Row> {
	const [database] = databases;
	if (!database) throw new Error("No database.");
	const submit = storeOf(database, "submitted");
	for (let n = 0; n < noOpRuns; n += 1) {
		const { id } = value(await submit.create(created({ id: randomUUID() }))).run;
		await wakeRun(database, id);
	}
	const work = async (on: Database, store: ReturnType<typeof storeOf>): Promise<void> => {
		for (;;) {
			const ledger = await claimNext(on, store);
			if (!ledger) return;
			for (let n = 0; n < statesPerRun * 6; n += 1)
				value(await ledger.append([{ kind: "noted", text: `event ${n}` }], n % 2 === 0 ? "durable" : "soon"));
			await ledger.settle({ kind: "parked" });
		}
	};
	const began = performance.now();
	await Promise.all(
		databases.flatMap((on) => {
			const store = storeOf(on, "held");
			return Array.from({ length: slots }, () => work(on, store));
		}),
	);
	const perSecond = (noOpRuns * statesPerRun * 1000) / (performance.now() - began);
	return {
		figure: `no-op states of two hosts with ${slots} slots`,
		value: perSecond,
		unit: "per s",
		must: { least: 100 },
	};
}

/** Statements per second that waiting runs cause, by the server's own log: with them, less without them. */
async function measureWaiting(database: Database, log: string): Promise<Row> {
	// Hosts would continue what the other measurements have left.
	await database.query("DELETE FROM chronicle.run");
	await (await database.boss()).deleteAllJobs();
	await database.query("ALTER SYSTEM SET log_statement = 'all'");
	await database.query("SELECT pg_reload_conf()");
	const count = () => (readFileSync(log, "utf8").match(/ LOG: {2}(?:execute|statement)/g) ?? []).length;
	const watch = async (): Promise<number> => {
		const worker = openWorker(database);
		const working = worker.work();
		// It looks for dead hosts once it has itself lived through a lease.
		await sleep(10_000);
		const before = count();
		await sleep(watchedMs);
		const perSecond = ((count() - before) * 1000) / watchedMs;
		worker.stop();
		await working;
		return perSecond;
	};
	// The host that the runs are taken by renews its lease too.
	const [submit, store] = [storeOf(database, "submitted"), storeOf(database, "held")];
	const park = async () => {
		const { id } = value(await submit.create(created({ id: randomUUID() }))).run;
		await wakeRun(database, id);
		await (await claimNext(database, store))?.settle({ kind: "parked" });
		await database.query("UPDATE chronicle.run SET parked = true WHERE id = $1", [id]);
	};
	await park();
	const without = await watch();
	for (let n = 1; n < waiting; n += 1) await park();
	const withRuns = await watch();
	await database.query("ALTER SYSTEM RESET log_statement");
	await database.query("SELECT pg_reload_conf()");
	return {
		figure: `statements that ${waiting} waiting runs cause (an idle host: ${without.toFixed(1)} per s)`,
		value: Math.max(0, withRuns - without),
		unit: "per s",
		must: { most: 0.5 },
	};
}

const served = { name: "app", remote: "/nowhere", cleanup: "never", place: {} as never } as const;

/** A host that serves the project. */
function openWorker(database: Database): EngineWorker {
	return new EngineWorker({
		...{ database, host: openHost(database, { slots }), projects: [served], queues: ["runs"], labels: [], slots },
		...{ data: mkdtempSync(join(tmpdir(), "bench-engine-")), report: () => {} },
	});
}

/**
 * Seconds from the death of a host to the next holder of its run, at default settings: the lease, and the time until another has found and taken
 * the run. A host of this process cannot die; it leaves without giving back.
 */
async function measureTakeover(database: Database): Promise<Row> {
	const host = openHost(database);
	const { id } = value(await storeOf(database, "submitted").create(created({ id: randomUUID() }))).run;
	await wakeRun(database, id);
	const held = await claimNext(database, storeOf(database, "held", host));
	if (!held) throw new Error("no job");
	const worker = openWorker(database);
	const working = worker.work();
	// It must itself have lived through a lease before it judges others.
	await sleep(host.leaseMs + 2000);
	await host.leave();
	const began = performance.now();
	for (;;) {
		const { rows } = await database.query<{ fence: number }>("SELECT fence FROM chronicle.run WHERE id = $1", [id]);
		if ((rows[0]?.fence ?? 0) > held.fence) break;
		if (performance.now() - began > 60_000) throw new Error("Nobody took the run over.");
		await sleep(50);
	}
	const seconds = (host.leaseMs + performance.now() - began) / 1000;
	worker.stop();
	await working;
	return { figure: "takeover of a dead host's run, default lease", value: seconds, unit: "s", must: { most: 15 } };
}
