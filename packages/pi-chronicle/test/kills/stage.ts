// Runs of the sample run under a supervisor that can be killed, and the invariants that hold whatever is killed at any time.
import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { LedgerEvent, Run } from "@pi-chronicle/core/machine";
import { buildSync } from "esbuild";
import { openFileStore } from "../../src/local/ledger/index.ts";
import { CRASH_VARIABLE } from "../../src/local/supervisor/index.ts";
import { readSessionFile } from "../../src/local/worker/session-file.ts";
import { type Child, type ChildExit, findOrphans, startChild } from "../../src/process/index.ts";
import { closeLater } from "../harness/lifetime.ts";
import type { ModelServer } from "../harness/model-server.ts";
import { openProject, type Project } from "../harness/project.ts";
import { checkout, packageUnderTest } from "../harness/under-test.ts";
import { inspectQuestion } from "./inspect-question.ts";
import { marks, template } from "./sample-run.ts";
import { type KillOrders, ordersVariable } from "./supervisor-process.ts";

export interface Supervisor {
	readonly child: Child;
	/** Id of the run, once it exists; rejects where the process ends before. */
	readonly run: Promise<string>;
	/** How it ended, and the last line that it wrote. */
	readonly over: Promise<{ readonly exit: ChildExit; readonly last: Readonly<Record<string, unknown>> }>;
}

export interface KillStage {
	readonly project: Project;
	/** Starts a supervisor: of a new run, or of `run`. `crashAt` names a point to die at. */
	supervisor(part?: Partial<KillOrders>, crashAt?: string): Supervisor;
	/** Kills the worker that was started last, once the ledger names it. */
	killWorker(run: string): Promise<void>;
	/** Resumes the run in another process, which must bring it to its end. */
	finish(run: string): Promise<void>;
	/** Everything that must hold of a finished run. */
	inspect(run: string): Promise<void>;
	events(run: string): Promise<LedgerEvent[]>;
	state(run: string): Promise<Run>;
}

const source = fileURLToPath(new URL("supervisor-process.ts", import.meta.url));

/** The supervisor as one file: it is started dozens of times. It lies where pi is found as its neighbour. */
function bundledSupervisor(): string {
	const file = join(checkout, "node_modules", ".cache", "pi-chronicle-kills", `${process.pid}.mjs`);
	if (existsSync(file)) return file;
	const yaml = join(checkout, "node_modules", "yaml", "browser", "index.js");
	buildSync({
		entryPoints: [source],
		outfile: file,
		bundle: true,
		format: "esm",
		platform: "node",
		target: "node22.19",
		alias: { yaml },
		external: ["@earendil-works/*", "typebox", "typebox/*"],
	});
	process.once("exit", () => rmSync(file, { force: true }));
	return file;
}

/** `standby`: how many workers its supervisors keep ready. */
export function openKillStage(server: ModelServer, standby = 2): KillStage {
	const script = bundledSupervisor();
	const project = openProject({ server, files: { ".pi/chronicle/workflows/play.json": template } });
	const sessions = join(project.folder, ".pi", "chronicle", "sessions");
	const store = openFileStore({ sessions, clock: { now: () => Date.now() } });
	const read = async (run: string) => {
		const found = await store.read(run);
		if (!found.ok) throw new Error(found.failure.message);
		return found.value;
	};

	const supervisor: KillStage["supervisor"] = (part = {}, crashAt) => {
		const orders: KillOrders = {
			cwd: project.folder,
			home: project.home,
			agentFolder: project.agentFolder,
			template: project.path(".pi/chronicle/workflows/play.json"),
			worker: packageUnderTest().worker,
			approval: "yes",
			standby,
			...part,
		};
		const env = project.environment({ [ordersVariable]: JSON.stringify(orders), [CRASH_VARIABLE]: crashAt });
		const child = startChild({ command: process.execPath, args: ["--no-warnings", script], cwd: project.folder, env });
		closeLater(async () => {
			await child.kill();
		});
		let text = "";
		const lines = () =>
			text
				.split("\n")
				.filter((line) => line !== "")
				.map((line) => JSON.parse(line));
		let known: (id: string) => void = () => {};
		let lost: (error: Error) => void = () => {};
		const run = new Promise<string>((resolve, reject) => {
			known = resolve;
			lost = reject;
		});
		run.catch(() => {});
		child.onOutput((chunk) => {
			text += chunk.toString();
			const [first] = text.includes("\n") ? lines() : [];
			if (first?.run) known(first.run);
		});
		const over = child.exited.then((exit) => {
			lost(new Error(`The supervisor ended before its run existed: ${JSON.stringify(exit)} ${child.stderr()}`));
			return { exit, last: lines().at(-1) ?? { stderr: child.stderr() } };
		});
		return { child, run, over };
	};

	const stage: KillStage = {
		project,
		supervisor,
		state: async (run) => (await read(run)).run,
		async events(run) {
			const events: LedgerEvent[] = [];
			for await (const event of (await read(run)).events()) events.push(event);
			return events;
		},
		async killWorker(run) {
			for (let n = 0; n < 200; n++) {
				const last = (await stage.events(run)).findLast(
					({ kind }) => kind === "worker_started" || kind === "worker_ended",
				);
				if (last?.kind === "worker_started") return void process.kill(last.pid, "SIGKILL");
				await sleep(20);
			}
			throw new Error("No worker is at work.");
		},
		async finish(run) {
			const { exit, last } = await supervisor({ run }).over;
			if (exit.kind === "exited" && exit.code === 0 && last.status === "done") return;
			const tail = (await stage.events(run)).slice(-8).map((event) => JSON.stringify(event).slice(0, 300));
			throw new Error(`The run did not come to its end: ${JSON.stringify({ exit, last })}\n${tail.join("\n")}`);
		},
		async inspect(run) {
			const events = await stage.events(run);
			const { status, snapshot, totals, history } = await stage.state(run);
			equal(status, "done");
			deepEqual(
				events.map(({ seq }) => seq),
				events.map((_, index) => index + 1),
			);
			const moves = events.flatMap((event) => (event.kind === "moved" ? [`${event.from} ${event.to}`] : []));
			deepEqual(moves, ["planning building", "building checking", "checking done"]);
			deepEqual(
				history.map(({ from, to }) => `${from} ${to}`),
				moves,
			);
			equal(snapshot.findings.filter(({ key }) => key === "port").length, 1);
			deepEqual(project.read("log.txt").trim().split("\n").toSorted(), marks.toSorted());
			ok(project.read("cleanup.log").includes("cleaned"));
			inspectQuestion(events, server.requests);
			// Every start was intended before.
			let intended: string | undefined;
			for (const event of events) {
				if (event.kind === "attempt_reserved") intended = `${event.visit}.${event.attempt}.${event.launch}`;
				if (event.kind === "worker_started") equal(`${event.visit}.${event.attempt}.${event.launch}`, intended);
			}
			// What is summed is what the conversations say, neither lost nor doubled.
			const workers = join(sessions, run, "workers");
			const files = readdirSync(workers).filter((name) => name.endsWith(".jsonl"));
			const read = await Promise.all(files.map((name) => readSessionFile(join(workers, name))));
			const spent = read.reduce((sum, one) => sum + (one.kind === "read" ? one.contents.spend.tokens : 0), 0);
			equal(totals.tokens, spent);
			const folded = JSON.parse(readFileSync(join(sessions, `${run}.json`), "utf8"));
			deepEqual([folded.id, folded.status], [run, "done"]);
			for (let n = 0; n < 50 && findOrphans(run).length > 0; n++) await sleep(20);
			deepEqual(findOrphans(run), []);
			// Of a standby nothing is left.
			deepEqual(
				readdirSync(workers).filter((name) => name.includes("standby")),
				[],
			);
			deepEqual(existsSync(join(project.agentFolder, "chronicle", "standby")), false);
		},
	};
	return stage;
}
