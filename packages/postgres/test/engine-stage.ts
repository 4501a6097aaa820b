// An engine for tests: one Postgres, one bare repository, hosts as separate processes with their own folders, and the real command line.

import { equal, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { treeRef } from "../../pi-chronicle/src/local/remote/run-snapshot.ts";
import { type Child, startChild } from "../../pi-chronicle/src/process/index.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";
import type { ModelRequest } from "../../pi-chronicle/test/harness/model-request.ts";
import { type ModelServer, openModelServer } from "../../pi-chronicle/test/harness/model-server.ts";
import { patient, within } from "../../pi-chronicle/test/harness/patience.ts";
import type { Cluster } from "../../pi-chronicle/test/harness/postgres.ts";
import { type Printed, runNode, runProgram } from "../../pi-chronicle/test/harness/print.ts";
import { openProject, type Project } from "../../pi-chronicle/test/harness/project.ts";
import type { Reply } from "../../pi-chronicle/test/harness/reply.ts";
import { packageUnderTest, piScript } from "../../pi-chronicle/test/harness/under-test.ts";
import { answer, marks, template } from "../../pi-chronicle/test/kills/sample-run.ts";
import type { Database } from "../src/index.ts";
import { treesIn } from "../src/publishing.ts";
import { openEngine } from "./open-engine.ts";

export interface EngineHost {
	readonly name: string;
	readonly child: Child;
	readonly data: string;
	log(): string;
}

export interface EngineStage {
	readonly project: Project;
	readonly server: ModelServer;
	readonly cluster: Cluster;
	readonly database: Database;
	/** The bare repository that all hosts share. */
	readonly remote: string;
	/** Seconds that a host may be silent. */
	readonly lease: number;
	cli(args: readonly string[], env?: Record<string, string | undefined>): Promise<Printed>;
	/** Runs a command as it was printed, in a shell. */
	printed(command: string): Promise<Printed>;
	/** Starts the same, to be killed. */
	start(args: readonly string[], env?: Record<string, string | undefined>): Child;
	host(name: string, env?: Record<string, string | undefined>, more?: readonly string[]): EngineHost;
	/** Submits a run of the play. With a gate its builder's second command runs until the gate is opened. */
	submit(gate?: Gate): Promise<string>;
	/** A closed gate. */
	gate(): Gate;
	events(run: string): Promise<LedgerEvent[]>;
	/** Resolves once the row of the run satisfies `test`. */
	until(run: string, test: (row: StageRow) => boolean, ms?: number): Promise<StageRow>;
	/** Resolves once the events of the run satisfy `test`. */
	untilEvents(run: string, test: (events: readonly LedgerEvent[]) => boolean): Promise<void>;
	/** Resolves once the builder runs the command that waits for the gate of the run. */
	untilAtGate(run: string): Promise<void>;
	approve(run: string): Promise<void>;
	/** What must hold of a finished run of the play, whatever happened. */
	inspect(run: string): Promise<void>;
}

/** What a command waits for: a file that is there for as long as the gate is closed. */
export interface Gate {
	readonly path: string;
	open(): void;
}

interface StageRow {
	readonly status: string;
	readonly state: string;
	readonly seq: number;
	readonly fence: number;
	readonly parked: boolean;
	readonly holder: string | null;
	readonly job: string | null;
	readonly waits: string | null;
	readonly head: string | null;
}

/** The model of the play; the second command of the builder waits while the gate is closed that the task names. */
function answerAtGate(request: ModelRequest): Reply {
	const reply = answer(request);
	const gate = /Gate: (\S+)/.exec(request.users[0] ?? "")?.[1];
	if (gate === undefined || reply.kind !== "message") return reply;
	const wait = `while [ -e ${gate} ]; do sleep 0.05; done`;
	const calls = reply.calls.map((one) => {
		const command = typeof one.args === "object" ? one.args.command : undefined;
		const isHeld = typeof command === "string" && command.includes("in-bash");
		return isHeld ? { ...one, args: { command: `${wait}; ${command}` } } : one;
	});
	return { ...reply, calls };
}

/** The model server of a stage. */
export function openStageModel(): Promise<ModelServer> {
	return openModelServer(answerAtGate);
}

export interface StageOptions {
	/** Seconds that a host may be silent. */
	readonly lease?: number;
	/** The project's files beside the play. */
	readonly files?: Readonly<Record<string, unknown>>;
	/** Default: a database in the cluster that the test files share. */
	readonly cluster?: Cluster;
}

/** Opens a stage with the play as its project `app`, set up and without hosts. */
export async function openEngineStage(
	server: ModelServer,
	{ lease = Math.ceil(within(3000) / 1000), files = {}, cluster: given }: StageOptions = {},
): Promise<EngineStage> {
	const { cluster, database } = await openEngine(given);
	const project = openProject({
		server,
		trusted: true,
		git: true,
		files: {
			".pi/chronicle/workflows/play.json": template,
			".gitignore": ".pi/chronicle/sessions\nin-*\n",
			"log.txt": "",
			...files,
		},
	});
	const remote = join(project.home, "shared.git");
	project.git("init", "-q", "--bare", remote);
	project.git("remote", "add", "origin", remote);
	project.git("push", "-q", "origin", "HEAD");
	const base = ["--engine", cluster.url, "--project", "app"];
	const environment = (env: Record<string, string | undefined>) =>
		project.environment({ PI_CHRONICLE_PI: piScript(), ...env });
	const cli: EngineStage["cli"] = (args, env = {}) =>
		runNode(project, [packageUnderTest().cliWithEngine, ...args, ...base], {
			env: environment(env),
			timeout: 60_000,
		});
	const bin = join(project.home, "bin");
	const printed: EngineStage["printed"] = (command) => {
		mkdirSync(bin, { recursive: true });
		const script = `#!/bin/sh\nexec '${process.execPath}' '${packageUnderTest().cliWithEngine}' "$@"\n`;
		// A file that is written while it runs cannot be run again.
		if (!existsSync(join(bin, "pi-chronicle"))) writeFileSync(join(bin, "pi-chronicle"), script, { mode: 0o755 });
		const env = environment({ PATH: `${bin}:${process.env.PATH}` });
		return runProgram(project, ["sh", "-c", command], { env, timeout: 60_000 });
	};
	const start = (args: readonly string[], env: Record<string, string | undefined> = {}): Child => {
		const child = startChild({
			command: process.execPath,
			args: [packageUnderTest().cliWithEngine, ...args],
			cwd: project.folder,
			env: environment(env),
		});
		child.endInput();
		closeLater(async () => {
			await child.kill();
		});
		return child;
	};
	const find = async (run: string): Promise<StageRow> => {
		const { rows } = await database.query<StageRow>("SELECT * FROM chronicle.run WHERE id = $1", [run]);
		const [row] = rows;
		if (!row) throw new Error(`No run ${run}`);
		return row;
	};
	const stage: EngineStage = {
		...{ project, server, cluster, database, remote, lease, cli, printed },
		start: (args, env) => start([...args, ...base], env),
		host(name, env = {}, more = []) {
			const data = join(project.home, "hosts", name);
			const leases = more.includes("--lease") ? [] : ["--lease", String(lease)];
			const where = more.includes("--engine") ? base.slice(2) : base;
			const args = ["engine", "worker", "--name", name, "--data", data, ...leases, ...more];
			const child = start([...args, ...where], env);
			let text = "";
			child.onOutput((chunk) => {
				text += chunk.toString();
			});
			return { name, child, data, log: () => text + child.stderr() };
		},
		gate() {
			// Not in the home folder: the sandbox hides it.
			const path = join(openFolder(), "gate");
			writeFileSync(path, "");
			return { path, open: () => rmSync(path, { force: true }) };
		},
		async submit(gate) {
			const task = gate ? `Do it all. Gate: ${gate.path}` : "Do it all.";
			const submitted = await cli(["run", "--json", "--model", "scripted/one", "--approve-cleanup", "play", task]);
			equal(submitted.code, 0, submitted.stderr + submitted.stdout);
			return (JSON.parse(submitted.stdout) as { id: string }).id;
		},
		async events(run) {
			const { rows } = await database.query<{ body: string }>(
				"SELECT body FROM chronicle.event WHERE run = $1 ORDER BY seq",
				[run],
			);
			return rows.map(({ body }) => JSON.parse(body) as LedgerEvent);
		},
		async until(run, test, ms = 60_000) {
			for (const end = Date.now() + patient(ms); ; await sleep(50)) {
				const row = await find(run).catch((error: Error) => error);
				if (!(row instanceof Error) && test(row)) return row;
				if (Date.now() < end) continue;
				const tail = await stage.events(run).catch(() => []);
				const shown = tail.slice(-8).map((event) => JSON.stringify(event).slice(0, 240));
				throw new Error(
					`The run did not get there: ${JSON.stringify(row instanceof Error ? row.message : { ...row, body: "" })}\n${shown.join("\n")}`,
				);
			}
		},
		async untilEvents(run, test) {
			const found = await eventually(() => stage.events(run).catch(() => []), test);
			ok(test(found), `The events did not get there:\n${found.map((event) => JSON.stringify(event)).join("\n")}`);
		},
		untilAtGate: (run) =>
			stage.untilEvents(
				run,
				(events) => events.filter((event) => event.kind === "tool_started" && event.visit === 2).length >= 2,
			),
		async approve(run) {
			await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
			const done = await cli(["approve", run]);
			equal(done.code, 0, done.stderr);
		},
		inspect: (run) => inspect(stage, run),
	};
	return stage;
}

async function inspect(stage: EngineStage, run: string): Promise<void> {
	await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
	const events = await stage.events(run);
	const moves = events.flatMap((event) => (event.kind === "moved" ? [`${event.from} ${event.to}`] : []));
	equal(moves.join(", "), "planning building, building checking, checking done");
	// The branch follows what is recorded, and holds what the workers did, each thing once.
	const show = () =>
		spawnSync("git", ["--git-dir", stage.remote, "show", `refs/heads/chronicle/${run}:log.txt`], { encoding: "utf8" });
	const log = () => show().stdout.trim().split("\n").toSorted().join();
	const wanted = marks.toSorted().join();
	equal(await eventually(log, (now) => now === wanted), wanted);
	await inspectRecord(stage, run);
}

/** What must hold of the record of a finished run, whatever happened. */
export async function inspectRecord(stage: EngineStage, run: string): Promise<void> {
	const { project, database } = stage;
	const events = await stage.events(run);
	ok(events.every(({ seq }, index) => seq === index + 1));
	const { rows } = await database.query<{ seq: number; trees: string }>(
		"SELECT seq, COALESCE(trees, id)::text AS trees FROM chronicle.run WHERE id = $1",
		[run],
	);
	const { seq, trees = run } = rows[0] ?? {};
	equal(seq, events.length);
	// All that it names is on the remote, and nowhere else.
	equal((await database.query("SELECT FROM chronicle.snapshot WHERE run = $1", [run])).count, 0);
	for (const tree of new Set(events.flatMap(treesIn)))
		equal(spawnSync("git", ["--git-dir", stage.remote, "rev-list", "--objects", treeRef(trees, tree)]).status, 0, tree);
	// An attempt that was interrupted before it asked for a move is named to its successor, if the run had one.
	events.forEach((event, index) => {
		if (event.kind !== "worker_ended" || event.outcome.kind !== "lost") return;
		const isSame = (other: LedgerEvent) =>
			"visit" in other && "attempt" in other && other.visit === event.visit && other.attempt === event.attempt;
		if (events.some((other) => other.kind === "move_requested" && isSame(other))) return;
		const later = events.slice(index);
		const next = later.find(({ kind }) => kind === "attempt_reserved");
		if (next === undefined && later.some(({ kind }) => kind === "finished")) return;
		ok(
			next?.kind === "attempt_reserved" && next.because !== "entered",
			"A lost attempt has no successor that knows of it.",
		);
	});
	const left = "SELECT FROM chronicle_jobs.job WHERE data->>'run' = $1 AND state IN ('created', 'retry', 'active')";
	const jobs = async (): Promise<number> => (await database.query(left, [run])).count;
	equal(await eventually(jobs, (count) => count === 0), 0, "A job is left.");
	const astray = () => inDeadFolders(project).join();
	equal(await eventually(astray, (found) => found === ""), "");
}

/** What `look` gives as soon as that satisfies `test`, or at last. */
export async function eventually<T>(look: () => T | Promise<T>, test: (found: T) => boolean): Promise<T> {
	for (const end = Date.now() + patient(60_000); ; await sleep(50)) {
		const found = await look();
		if (test(found) || Date.now() >= end) return found;
	}
}

/** Processes of the stage whose working directory is gone. */
function inDeadFolders(project: Project): string[] {
	const tag = project.tag;
	return project.processes().flatMap(({ pid }) => {
		try {
			const cwd = readlinkSync(`/proc/${pid}/cwd`);
			return cwd.endsWith(" (deleted)") || !existsSync(cwd) ? [`${pid} in ${cwd} (${tag})`] : [];
		} catch {
			return [];
		}
	});
}

/** The folders that a host keeps for runs. */
export function foldersOf({ data }: EngineHost): string[] {
	return ["work", "runs"].flatMap((kind) => {
		const folder = join(data, "app", kind);
		return existsSync(folder) ? readdirSync(folder).map((name) => `${kind}/${name}`) : [];
	});
}
