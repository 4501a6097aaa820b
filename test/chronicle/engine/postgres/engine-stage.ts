// Hosts of an engine as processes of their own: one Postgres, one bare repository, workers with folders of their own, and the real command line.
import { equal, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent } from "../../../../src/chronicle/core/machine/index.ts";
import { type Database, openDatabase } from "../../../../src/chronicle/engine/postgres/index.ts";
import { type Child, startChild } from "../../../../src/process/index.ts";
import { closeLater } from "../../../harness/lifetime.ts";
import type { ModelServer } from "../../../harness/model-server.ts";
import { patient } from "../../../harness/patience.ts";
import { type Cluster, startPostgres } from "../../../harness/postgres.ts";
import { type Printed, runNode } from "../../../harness/print.ts";
import { openProject, type Project } from "../../../harness/project.ts";
import { packageUnderTest } from "../../../harness/under-test.ts";
import { marks, template } from "../../kills/sample-run.ts";

export interface EngineHost {
	readonly name: string;
	readonly child: Child;
	readonly data: string;
	log(): string;
}

export interface EngineStage {
	readonly project: Project;
	readonly cluster: Cluster;
	readonly database: Database;
	/** The bare repository that all hosts share. */
	readonly remote: string;
	/** Seconds that a host may be silent. */
	readonly lease: number;
	cli(args: readonly string[], env?: Record<string, string | undefined>): Promise<Printed>;
	host(name: string, env?: Record<string, string | undefined>, more?: readonly string[]): EngineHost;
	submit(task?: string): Promise<string>;
	events(run: string): Promise<LedgerEvent[]>;
	/** Resolves once the row of the run satisfies `test`. */
	until(run: string, test: (row: StageRow) => boolean, ms?: number): Promise<StageRow>;
	approve(run: string): Promise<void>;
	/** What must hold of a finished run of the play, whatever happened. */
	inspect(run: string): Promise<void>;
}

export interface StageRow {
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

/** Opens a stage with the play as its project `app`, set up and without hosts. */
export async function openEngineStage(server: ModelServer, lease = 3): Promise<EngineStage> {
	const cluster = await startPostgres();
	const project = openProject({
		server,
		trusted: true,
		git: true,
		files: {
			".pi/chronicle/workflows/play.json": template,
			".gitignore": ".pi/chronicle/sessions\nin-*\n",
			"log.txt": "",
		},
	});
	const remote = join(project.home, "shared.git");
	project.git("init", "-q", "--bare", remote);
	project.git("remote", "add", "origin", remote);
	project.git("push", "-q", "origin", "HEAD");
	const opened = await openDatabase(cluster.url);
	if (!opened.ok) throw new Error(opened.failure.message);
	const database = opened.value;
	closeLater(() => database.close());
	const base = ["--engine", cluster.url, "--project", "app"];
	const cli: EngineStage["cli"] = (args, env = {}) =>
		runNode(project, [packageUnderTest().cliBesidePi, ...args, ...base], {
			env: project.environment(env),
			timeout: 60_000,
		});
	const done = await cli(["engine", "init"]);
	equal(done.code, 0, done.stderr);
	const find = async (run: string): Promise<StageRow> => {
		const { rows } = await database.query<StageRow>("SELECT * FROM chronicle.run WHERE id = $1", [run]);
		const [row] = rows;
		if (!row) throw new Error(`No run ${run}`);
		return row;
	};
	const stage: EngineStage = {
		...{ project, cluster, database, remote, lease, cli },
		host(name, env = {}, more = []) {
			const data = join(project.home, "hosts", name);
			const leases = more.includes("--lease") ? [] : ["--lease", String(lease)];
			const args = ["engine", "worker", "--name", name, "--data", data, ...leases, ...more, ...base];
			const child = startChild({
				command: process.execPath,
				args: [packageUnderTest().cliBesidePi, ...args],
				cwd: project.folder,
				env: project.environment(env),
			});
			child.endInput();
			let text = "";
			child.onOutput((chunk) => {
				text += chunk.toString();
			});
			closeLater(async () => {
				await child.kill();
			});
			return { name, child, data, log: () => text + child.stderr() };
		},
		async submit(task = "Do it all.") {
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
	const { project, database } = stage;
	const row = await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
	const events = await stage.events(run);
	equal(
		events.every(({ seq }, index) => seq === index + 1),
		true,
	);
	equal(row.seq, events.length);
	const moves = events.flatMap((event) => (event.kind === "moved" ? [`${event.from} ${event.to}`] : []));
	equal(moves.join(", "), "planning building, building checking, checking done");
	// The branch follows what is recorded, and holds what the workers did, each thing once.
	const show = () =>
		spawnSync("git", ["--git-dir", stage.remote, "show", `refs/heads/chronicle/${run}:log.txt`], { encoding: "utf8" });
	const log = () => show().stdout.trim().split("\n").toSorted().join();
	for (let tries = 0; tries < 200 && log() !== marks.toSorted().join(); tries++) await sleep(50);
	equal(log(), marks.toSorted().join());
	// An attempt that was interrupted before it asked for a move is named to its successor.
	events.forEach((event, index) => {
		if (event.kind !== "worker_ended" || event.outcome.kind !== "lost") return;
		const isSame = (other: LedgerEvent) =>
			"visit" in other && "attempt" in other && other.visit === event.visit && other.attempt === event.attempt;
		if (events.some((other) => other.kind === "move_requested" && isSame(other))) return;
		const next = events.slice(index).find(({ kind }) => kind === "attempt_reserved");
		ok(
			next?.kind === "attempt_reserved" && next.because !== "entered",
			"A lost attempt has no successor that knows of it.",
		);
	});
	const left = "SELECT FROM chronicle_jobs.job WHERE data->>'run' = $1 AND state IN ('created', 'retry', 'active')";
	for (let tries = 0; tries < 600 && (await database.query(left, [run])).count > 0; tries++) await sleep(50);
	equal((await database.query(left, [run])).count, 0, "A job is left.");
	for (let tries = 0; tries < 60 && inDeadFolders(project).length > 0; tries++) await sleep(50);
	equal(inDeadFolders(project).join(), "");
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
