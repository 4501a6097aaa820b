// What child runs cost beside their model's time: four at once against one, the memory of their processes, and what forty leave behind.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { call, openBench, type Project } from "../packages/pi-chronicle/test/harness/index.ts";
import { piScript } from "../packages/pi-chronicle/test/harness/under-test.ts";
import { type Figures, median } from "./figure.ts";
import { installedPackage } from "./packed.ts";
import { residentBytes } from "./resident.ts";

const rounds = 3;
/** A child's requests, and the milliseconds until each is answered. */
const requests = 4;
const thinkMs = 4000;
const many = 40;

export async function bench(): Promise<Figures> {
	const one: Played[] = [];
	const four: Played[] = [];
	for (let round = 0; round < rounds; round += 1) {
		one.push(await play(1, thinkMs));
		four.push(await play(4, thinkMs));
	}
	const forty = await play(many, 0);
	const ms = (played: readonly Played[]): number => median(played.map((each) => each.ms));
	const workers = median(four.map(({ workerBytes }) => workerBytes)) / 1e6;
	return {
		name: "fan-out",
		rows: [
			{ figure: "4 children ÷ 1 child, wall time", value: ms(four) / ms(one), unit: "×", must: { most: 1.25 } },
			{ figure: "1 child", value: ms(one), unit: "ms" },
			{ figure: "4 children, 4 at a time", value: ms(four), unit: "ms" },
			{ figure: "memory of 4 workers at their peak", value: workers, unit: "MB" },
			{
				figure: "memory of their supervisor at its peak",
				value: median(four.map(({ bytes }) => bytes)) / 1e6,
				unit: "MB",
			},
			{ figure: "the same with 1 child", value: median(one.map(({ bytes }) => bytes)) / 1e6, unit: "MB" },
			{ figure: `${many} children, 4 at a time, without the model's time`, value: forty.ms / 1000, unit: "s" },
			{ figure: "memory of their supervisor at its peak", value: forty.bytes / 1e6, unit: "MB" },
			{ figure: "processes that they leave", value: forty.processes, unit: "processes", must: { most: 0 } },
			{ figure: "folders that they leave", value: forty.folders, unit: "folders", must: { most: 0 } },
		],
		how: `Whole runs on the command line, from start to exit, with real workers on a scripted server; each child has a folder of its own, makes ${requests} requests that are answered after ${thinkMs / 1000} s, and writes a file. Medians of ${rounds}; memory is resident memory.`,
	};
}

interface Played {
	readonly ms: number;
	/** Resident memory of the supervisor's process, and of all its workers, at their peak. */
	readonly bytes: number;
	readonly workerBytes: number;
	readonly processes: number;
	/** Folders of children. */
	readonly folders: number;
}

/** Plays a run with `children` children, whose model takes `answerMs` for each answer. */
async function play(children: number, answerMs: number): Promise<Played> {
	const branch = { states: { work: { persona: "Builder", next: ["done"] } } };
	const tasks = Array.from({ length: children }, (_, n) => [`child-${n}`, { run: branch, task: `Write ${n}.` }]);
	const states = { build: { branches: Object.fromEntries(tasks), max_parallel: 4, next: ["done"] } };
	const { project } = await openBench({
		files: { ".pi/chronicle/workflows/wide.json": { states }, "a.txt": "a\n" },
		script: async (request) => {
			await sleep(answerMs);
			const [, number = ""] = /Write (\d+)\./.exec(request.users[0] ?? "") ?? [];
			const last = answerMs === 0 ? 1 : requests - 1;
			if (request.results.length === last)
				return call("workflow_transition", { target_state: "done", summary: "Done." });
			return call("write", { path: `${number}.txt`, content: `${request.results.length}\n` });
		},
	});
	const began = performance.now();
	const cli = join(installedPackage(), "bin", "pi-chronicle.mjs");
	const command = spawn(process.execPath, [cli, "run", "wide", "Build it"], {
		cwd: project.folder,
		env: project.environment({ PI_CHRONICLE_PI: piScript() }),
		stdio: ["ignore", "ignore", "pipe"],
	});
	let said = "";
	command.stderr.on("data", (chunk: Buffer) => {
		said += chunk.toString();
	});
	const ended = new Promise<number | null>((resolve) => command.on("exit", resolve));
	const peaks = { bytes: 0, workerBytes: 0 };
	for (let over: unknown; over === undefined; over = await Promise.race([ended, sleep(200)]))
		watch(project, command.pid ?? 0, peaks);
	const ms = performance.now() - began;
	const code = await ended;
	if (code !== 0) throw new Error(`The run ended with ${code}: ${said.slice(-2000)}`);
	for (let n = 0; n < children; n += 1) if (!project.exists(`${n}.txt`)) throw new Error(`${n}.txt is missing.`);
	await sleep(500);
	return { ms, ...peaks, processes: project.processes().length, folders: foldersOf(project) };
}

/** Raises the peaks to the memory that is in use now. */
function watch(project: Project, supervisor: number, peaks: { bytes: number; workerBytes: number }): void {
	const sum = (pids: readonly number[]): number => pids.reduce((bytes, pid) => bytes + residentBytes(pid), 0);
	const workers = project.processes().filter(({ pid }) => pid !== supervisor);
	peaks.bytes = Math.max(peaks.bytes, residentBytes(supervisor));
	peaks.workerBytes = Math.max(peaks.workerBytes, sum(workers.map(({ pid }) => pid)));
}

function foldersOf(project: Project): number {
	const work = join(project.agentFolder, "chronicle", "work");
	return existsSync(work) ? readdirSync(work).length : 0;
}
