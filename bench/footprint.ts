// How long a footprint takes: everyday commands, and the hardest ones that 64 KB can hold.
// Times are CPU time of this process, so that a busy machine does not count; disk questions go to the real disk.
import { diskSurroundings, remembering } from "../src/pi/surroundings.ts";
import { computeFootprint } from "../src/safety/footprint/index.ts";
import { enormous } from "../test/safety/footprint/enormous-commands.ts";
import { reading, writing } from "../test/safety/footprint/known-commands.ts";
import { type Figures, quantile } from "./figure.ts";

const ROUNDS = 30;

/** Milliseconds of CPU that some work takes. */
function cpu(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

function footprint(command: string): void {
	computeFootprint({ tool: "bash", input: { command } }, remembering(diskSurroundings(process.cwd())));
}

export async function bench(): Promise<Figures> {
	// Wildcards ask the disk for names: that depends on the folder, not on the analysis.
	const everyday = [...reading, ...writing].filter((command) => !/[*?]/.test(command));
	for (let round = 0; round < 20; round++) for (const command of everyday) footprint(command);
	const times: number[] = [];
	for (let round = 0; round < ROUNDS; round++)
		for (const command of everyday) {
			const start = performance.now();
			footprint(command);
			times.push(performance.now() - start);
		}
	const mean = cpu(() => everyday.forEach(footprint)) / everyday.length;
	let hardest = { name: "", ms: 0 };
	for (const [name, text] of Object.entries(enormous)) {
		const ms = Math.min(...[1, 2, 3].map(() => cpu(() => footprint(text))));
		if (ms > hardest.ms) hardest = { name, ms };
	}
	return {
		name: "footprint",
		rows: [
			{ figure: "an everyday command, p50", value: quantile(times, 0.5), unit: "ms", must: { most: 0.3 } },
			{ figure: "an everyday command, p99", value: quantile(times, 0.99), unit: "ms", must: { most: 3 } },
			{ figure: "an everyday command, mean of CPU time", value: mean, unit: "ms" },
			{ figure: `64 KB at worst (${hardest.name}), CPU time`, value: hardest.ms, unit: "ms", must: { most: 100 } },
		],
		how: `${everyday.length} commands that read or write, ${ROUNDS} times each, on the real disk; ${Object.keys(enormous).length} hostile texts, the best of three each.`,
	};
}
