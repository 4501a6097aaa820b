// Kills at random times of runs with children: the command line is killed with SIGKILL, or processes of its workers are, or the runs' folder is
// deleted, as by `git clean -fdx`; the run is resumed until it has ended. Then everything that must hold of a tree of runs is checked. See
// `random.ts`.
import { deepEqual, equal, ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyId, type LedgerEvent, type Run } from "@pi-chronicle/core/machine";
import { folderNames } from "../../src/disk/index.ts";
import { openFileStore } from "../../src/local/ledger/index.ts";
import { ledgersOf } from "../../src/local/project/index.ts";
import { readSessionFile } from "../../src/local/worker/session-file.ts";
import { findOrphans } from "../../src/process/index.ts";
import { openModelServer } from "../harness/model-server.ts";
import { patient } from "../harness/patience.ts";
import { runNode } from "../harness/print.ts";
import { openProject, type Project } from "../harness/project.ts";
import { packageUnderTest, piScript } from "../harness/under-test.ts";
import { answer, filesOf, listWith, optionsOf, type Shape, shapes } from "./children-run.ts";
import { generator, kill } from "./random.ts";

export interface KilledTree {
	readonly shape: Shape;
	readonly kills: number;
	/** Times that the run was resumed after the kills. */
	readonly resumes: number;
	readonly ms: number;
}

const victims = ["supervisor", "supervisor", "process", "both", "folder"] as const;
/** A paused run is resumed by the user: a child whose worker was killed too often waits. */
const mostResumes = 5;

interface Tree {
	readonly shape: Shape;
	readonly project: Project;
	readonly sessions: string;
	readonly store: ReturnType<typeof openFileStore>;
	/** Whether the folder of the runs was deleted: conversations are lost, and runs that had ended are only in the copies of their events. */
	wasDeleted: boolean;
}

/** The shape that a seed plays where none is named. */
function shapeOf(seed: number): Shape {
	const names = Object.keys(shapes) as Shape[];
	return names[seed % names.length] ?? "children of a child";
}

/** Plays one run with up to `most` kills. Throws what does not hold. */
export async function killChildrenAtRandom(seed: number, most: number, shape = shapeOf(seed)): Promise<KilledTree> {
	const random = generator(seed);
	const began = performance.now();
	const server = await openModelServer(answer);
	const project = openProject({ server, files: filesOf(shape), trusted: true });
	const sessions = project.path(".pi/chronicle/sessions");
	const { copies } = ledgersOf({ place: { cwd: project.folder, agentFolder: project.agentFolder }, sessions });
	const store = openFileStore({ sessions, copies, clock: { now: () => Date.now() } });
	const tree: Tree = { shape, project, sessions, store, wasDeleted: false };
	const told: string[] = [];
	let kills = 0;
	let edits = 0;
	/** A process was killed before its run began. */
	let unbegun = false;
	let resumes = 0;
	try {
		let supervisor = await startCommand(tree);
		while (kills < most) {
			const over = await Promise.race([sleep(100 + random() * 2500, undefined), supervisor.over]);
			if (over) break;
			const victim = victims[Math.floor(random() * victims.length)] ?? "both";
			kills += 1;
			told.push(victim);
			edits += 1;
			project.write("mine.txt", `edit ${edits}\n`);
			if (victim === "process" || victim === "both") await killWorkers(tree, victim === "both" ? undefined : random());
			if (victim === "process") continue;
			if (victim === "folder") {
				tree.wasDeleted = true;
				clean(sessions);
			} else supervisor.kill();
			await supervisor.over;
			unbegun ||= (await firstRun(tree)) === undefined;
			supervisor = await startCommand(tree);
		}
		let last = await supervisor.over;
		for (; last.code !== 0 && !(await isOver(tree)); resumes += 1) {
			if (resumes === mostResumes) throw new Error(`The run does not end: ${JSON.stringify(last)}`);
			last = await (await startCommand(tree)).over;
		}
		// Its copy stays, to be joined again, until the user discards it.
		if (shape === "a run apart")
			for (const command of ["join", "discard"]) last = await (await startCommand(tree, command)).over;
		if (last.code !== 0 || unbegun) await fixLeftovers(tree);
		await inspect(tree);
		equal(project.read("mine.txt"), edits === 0 ? "at first\n" : `edit ${edits}\n`);
	} catch (error) {
		const results = server.requests.at(-1)?.results.slice(-3) ?? [];
		const last = results.map(({ id, text }) => `${id}: ${text.slice(0, 500)}`).join("\n");
		const message = `Seed ${seed} (${shape}), killed: ${told.join(", ")}\n${await describeRuns(tree)}\nLast results:\n${last}`;
		throw new Error(message, { cause: error });
	}
	project.killProcesses();
	await server.close();
	return { shape, kills, resumes, ms: performance.now() - began };
}

/** Deletes a folder; what processes write to it meanwhile can stay. */
function clean(folder: string): void {
	try {
		rmSync(folder, { recursive: true, force: true });
	} catch (error) {
		equal((error as NodeJS.ErrnoException).code, "ENOTEMPTY");
	}
}

interface Command {
	readonly over: Promise<{ readonly code: number | null; readonly text: string }>;
	kill(): void;
}

/** Starts the run, or resumes it where it exists. */
async function startCommand(tree: Tree, command = "resume"): Promise<Command> {
	const { project, shape } = tree;
	const root = await firstRun(tree);
	const words = root === undefined ? ["run", "tree", "Build all parts", ...(optionsOf[shape] ?? [])] : [command, root];
	const child = spawn(process.execPath, [packageUnderTest().cli, ...words], {
		cwd: project.folder,
		env: project.environment({ PI_CHRONICLE_PI: piScript() }),
		stdio: ["ignore", "pipe", "pipe"],
	});
	let text = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (chunk: Buffer) => {
			text += chunk.toString();
		});
	const over = new Promise<Awaited<Command["over"]>>((resolve) => {
		child.on("close", (code) => resolve({ code, text: text.slice(-2000) }));
	});
	return { over, kill: () => void child.kill("SIGKILL") };
}

/** Kills the processes of all workers, or the one that `which` (0 to 1) chooses. */
async function killWorkers(tree: Tree, which: number | undefined): Promise<void> {
	const all = (await tree.store.ids()).flatMap((id) => findOrphans(id));
	const some = which === undefined ? all : all.slice(Math.floor(which * all.length)).slice(0, 1);
	for (const { pid } of some) kill(pid);
}

async function isOver(tree: Tree): Promise<boolean> {
	const root = await firstRun(tree);
	return root !== undefined && (await readRun(tree, root)).run.stage.kind === "over";
}

/** A command that was killed after the end of the run could not release the leases, and one that was killed at its start left a folder. */
async function fixLeftovers({ project, sessions, store }: Tree): Promise<void> {
	deepEqual((await store.ids()).flatMap(findOrphans), []);
	// A folder whose process was killed before it took the lease counts as left after an hour.
	const anHourAgo = Date.now() / 1000 - 3601;
	const unbegun = folderNames(sessions).filter(
		(name) => /^[0-9a-f-]{36}$/.test(name) && !existsSync(join(sessions, `${name}.json`)),
	);
	for (const name of unbegun) utimesSync(join(sessions, name), anHourAgo, anHourAgo);
	await runNode(project, [packageUnderTest().cli, "doctor", "--fix"], { env: { PI_CHRONICLE_PI: piScript() } });
}

/** The id of the run that is nobody's child; `undefined`: it has not begun. */
async function firstRun({ store }: Tree): Promise<string | undefined> {
	const first = (await store.list()).filter((entry) => entry.kind === "run" && !entry.summary.parent);
	ok(first.length <= 1);
	return first[0]?.id;
}

async function readRun({ store }: Tree, id: string): Promise<{ readonly run: Run; readonly events: LedgerEvent[] }> {
	const read = await store.read(id);
	if (!read.ok) throw new Error(read.failure.message);
	const events: LedgerEvent[] = [];
	for await (const event of read.value.events()) events.push(event);
	return { run: read.value.run, events };
}

async function describeRuns(tree: Tree): Promise<string> {
	const lines: string[] = [];
	for (const id of await tree.store.ids()) {
		const found = await readRun(tree, id).catch((error: unknown) => void lines.push(`── ${id}: ${error}`));
		if (!found) continue;
		const { run, events } = found;
		lines.push(`── ${id} ${run.parent?.name ?? "the first run"}: ${run.status} in ${run.state}`);
		const told = events.filter(({ kind }) => kind !== "child_spent").slice(-12);
		lines.push(...told.map((event) => JSON.stringify(event).slice(0, 300)));
	}
	return lines.join("\n");
}

/** Everything that must hold of a tree of runs that has ended. */
async function inspect(tree: Tree): Promise<void> {
	const { project, sessions, shape, store, wasDeleted } = tree;
	const root = (await firstRun(tree)) ?? "";
	const planned = new Set([root]);
	const built: number[] = [];
	let spent = 0;
	for (const id of planned) {
		const { run, events } = await readRun(tree, id);
		// With `join: any` a child may be aborted before it begins.
		const begun = await store.ids();
		for (const { id: child, status } of inspectEvents(run, events))
			if (begun.includes(child) || status !== "aborted") planned.add(child);
		spent += await spentIn(join(sessions, id, "workers"));
		if (run.status === "done" && run.template.name === "part") built.push(Number(run.task.split(" ")[1]));
		await inspectLeftovers(tree, id);
	}
	deepEqual([...planned].toSorted(), (await store.ids()).toSorted());
	const names = [...planned].flatMap((id) => [id, `${id}.json`, `${id}.events.jsonl`]);
	if (!wasDeleted) deepEqual(readdirSync(sessions).toSorted(), [".gitignore", ...names].toSorted());
	const inAgentFolder = ["workers", "standby"].map((name) => join(project.agentFolder, "chronicle", name));
	deepEqual(
		inAgentFolder.filter(existsSync).map((folder) => [folder, readdirSync(folder)]),
		[],
	);
	const work = join(project.agentFolder, "chronicle", "work");
	deepEqual(existsSync(work) ? readdirSync(work) : [], []);
	const { run } = await readRun(tree, root);
	equal(run.status, "done");
	if (!wasDeleted) equal(run.totals.tokens, spent);
	const isClash = shape === "a conflict that a worker resolves";
	equal(project.read("list.txt"), listWith(isClash ? [] : shape === "one of three that a judge takes" ? [2] : built));
	equal(project.read("same.txt"), isClash ? "child 1 and 2\n" : "nobody\n");
	if (shape !== "the first that is done") equal(built.length, isClash ? 2 : 3);
	else ok(built.length >= 1);
}

/** What must hold of the events of one run; returns how its children ended. */
function inspectEvents(run: Run, events: readonly LedgerEvent[]): { readonly id: string; readonly status: string }[] {
	deepEqual(
		events.map(({ seq }) => seq),
		events.map((_, index) => index + 1),
	);
	equal(events.filter(({ kind }) => kind === "created").length, 1);
	ok(run.status === "done" || run.status === "aborted", `${run.id} is ${run.status}.`);
	const ids = events.flatMap((event) => (event.kind === "children_planned" ? event.children : [])).map(({ id }) => id);
	equal(new Set(ids).size, ids.length);
	const isCopy = (child: string) => child === copyId(run.id);
	const ended = events.flatMap((event) => (event.kind === "child_ended" && !isCopy(event.child) ? [event] : []));
	const endedIds = ended.map(({ child }) => child);
	equal(new Set(endedIds).size, endedIds.length);
	const children = ids.map((id) => ({ id, status: ended.find(({ child }) => child === id)?.status ?? "unknown" }));
	if (run.status === "aborted") return children;
	deepEqual(endedIds.toSorted(), ids.toSorted());
	const moves = events.flatMap((event) => (event.kind === "moved" ? [`${event.from} ${event.to}`] : []));
	equal(new Set(moves).size, moves.length);
	const joins = events.filter(({ kind }) => kind === "join_applied").length;
	if (ids.length > 0) equal(joins, run.apart ? 2 : 1);
	return children;
}

/** Tokens that the conversations in the folder have used. */
async function spentIn(workers: string): Promise<number> {
	if (!existsSync(workers)) return 0;
	const files = readdirSync(workers).filter((name) => name.endsWith(".jsonl"));
	const read = await Promise.all(files.map((name) => readSessionFile(join(workers, name))));
	return read.reduce((sum, one) => sum + (one.kind === "read" ? one.contents.spend.tokens : 0), 0);
}

/** No process, folder of a child, lease, lock, message or half of a file is left. */
async function inspectLeftovers(tree: Tree, id: string): Promise<void> {
	const { project } = tree;
	for (const end = Date.now() + patient(5000); Date.now() < end && findOrphans(id).length > 0; ) await sleep(20);
	deepEqual(findOrphans(id), []);
	const files = project
		.list(join(".pi/chronicle/sessions", id))
		.map((path) => path.slice(path.indexOf(id) + id.length + 1));
	const allowed = tree.wasDeleted && id === (await firstRun(tree)) ? [...leftOver, setAside] : leftOver;
	deepEqual(
		files.filter((path) => !allowed.some((one) => one.test(path))),
		[],
	);
}

/** What a run leaves in its folder. */
const leftOver = [
	/^handover\.md$/,
	/^(apart\/)?files$/,
	/^(apart\/)?files\/(\.gitignore|HEAD|config|modes|index|index\.probe|info\/\w+|objects|objects\/(\w\w\/[0-9a-f]{38}|(pack|info)\/.*))$/,
	/^workers\/[\d.]+\.(jsonl|brief\.json|persona\.md)$/,
	/^commands\/[\d.]+\.log$/,
];

/** A store that has objects of its own is kept if it is used while its folder is being deleted. */
const setAside = /^files\.broken-\d+\//;
