// What a graph of tasks costs beside its critical path: children that are commands and take no time, in levels that need each other.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { openBench } from "../packages/pi-chronicle/test/harness/index.ts";
import { type Figures, median } from "./figure.ts";
import { installedPackage } from "./packed.ts";
import { residentBytes } from "./resident.ts";

const rounds = 3;
const levels = 20;
const wide = 5;
/** Milliseconds that each task takes. */
const taskMs = 1000;

export async function bench(): Promise<Figures> {
	const chain: Played[] = [];
	const graph: Played[] = [];
	for (let round = 0; round < rounds; round += 1) {
		chain.push(await play(1));
		graph.push(await play(wide));
	}
	const ms = (played: readonly Played[]): number => median(played.map((each) => each.ms));
	const megabytes = (played: readonly Played[]): number => median(played.map(({ bytes }) => bytes)) / 1e6;
	return {
		name: "graph",
		rows: [
			{
				figure: `${levels * wide} tasks in ${levels} levels ÷ their critical path`,
				value: ms(graph) / ms(chain),
				unit: "×",
			},
			{ figure: `${levels} tasks one after the other`, value: ms(chain), unit: "ms" },
			{ figure: `${levels * wide} tasks in ${levels} levels, 8 at a time`, value: ms(graph), unit: "ms" },
			{ figure: "beside each task of the critical path", value: ms(chain) / levels - taskMs, unit: "ms" },
			{ figure: "memory of the supervisor at its peak, one after the other", value: megabytes(chain), unit: "MB" },
			{ figure: "memory of the supervisor at its peak, in levels", value: megabytes(graph), unit: "MB" },
		],
		how: `Whole runs on the command line; each child has a folder of its own, is a command of ${taskMs / 1000} s that writes a file, and needs one child of the level above. Medians of ${rounds}; memory is resident memory.`,
	};
}

interface Played {
	readonly ms: number;
	/** Resident memory of the supervisor's process at its peak. */
	readonly bytes: number;
}

/** Plays a run with `width` children on each level. */
async function play(width: number): Promise<Played> {
	const run = (name: string) => ({
		states: {
			work: { command: `sleep ${taskMs / 1000}; echo ${name} > ${name}.txt`, next: { 0: "done", else: "failed" } },
			done: {},
			failed: {},
		},
	});
	const names = Array.from({ length: levels * width }, (_, n) => `t${Math.floor(n / width)}x${n % width}`);
	const branches = Object.fromEntries(
		names.map((name, n) => [name, { run: run(name), task: name, ...(n < width ? {} : { needs: [names[n - width]] }) }]),
	);
	const { project } = await openBench({
		files: {
			".pi/chronicle/workflows/graph.json": { states: { work: { branches, max_parallel: 8, next: ["done"] } } },
			"a.txt": "a\n",
		},
		script: {},
	});
	const cli = join(installedPackage(), "bin", "pi-chronicle.mjs");
	const began = performance.now();
	const command = spawn(process.execPath, [cli, "run", "graph", "Do it", "--approve-cleanup"], {
		cwd: project.folder,
		env: project.environment({}),
		stdio: ["ignore", "ignore", "pipe"],
	});
	let said = "";
	command.stderr.on("data", (chunk: Buffer) => {
		said += chunk.toString();
	});
	let bytes = 0;
	const watching = setInterval(() => {
		bytes = Math.max(bytes, residentBytes(command.pid ?? 0));
	}, 200);
	const code = await new Promise<number | null>((resolve) => command.on("exit", resolve));
	clearInterval(watching);
	const ms = performance.now() - began;
	if (code !== 0) throw new Error(`The run ended with ${code}: ${said.slice(-2000)}`);
	for (const name of names) if (!project.exists(`${name}.txt`)) throw new Error(`${name}.txt is missing.`);
	return { ms, bytes };
}
