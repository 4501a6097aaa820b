// Time to compute a footprint: everyday commands, and the most expensive inputs of 64 KB. CPU time of this process, which other load does
// not affect; disk access is real.

import { computeFootprint, type MeasuredCall } from "@pi-chronicle/footprint";
import { enormous, enormousArguments, enormousPowerShell } from "../packages/footprint/test/enormous-commands.ts";
import { reading, writing } from "../packages/footprint/test/known-commands.ts";
import { cachedEnvironment, hostEnvironment } from "../packages/pi-chronicle/src/pi/project/host-environment.ts";
import { type Figures, quantile } from "./figure.ts";

const ROUNDS = 30;

/** CPU time of `work` in ms. */
function cpu(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

function measure(call: MeasuredCall): void {
	computeFootprint(call, cachedEnvironment(hostEnvironment(process.cwd())));
}

function footprint(command: string): void {
	measure({ tool: "bash", input: { command } });
}

const hostile: readonly { readonly name: string; readonly call: MeasuredCall }[] = [
	...Object.entries(enormous).map(([name, command]) => ({ name, call: { tool: "bash", input: { command } } })),
	...Object.entries(enormousPowerShell).map(([name, command]) => ({
		name: `PowerShell, ${name}`,
		call: { tool: "powershell", input: { command } },
	})),
	...Object.entries(enormousArguments).map(([name, text]) => ({
		name: `arguments, ${name}`,
		call: { tool: "x", input: { path: text, patch: text, command: text } },
	})),
];

export async function bench(): Promise<Figures> {
	// Expanding wildcards lists folders, and measures them rather than the analysis.
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
	for (const { name, call } of hostile) {
		const ms = Math.min(...[1, 2, 3].map(() => cpu(() => measure(call))));
		if (ms > hardest.ms) hardest = { name, ms };
	}
	return {
		name: "footprint",
		rows: [
			{ figure: "an everyday command, p50", value: quantile(times, 0.5), unit: "ms", must: { most: 0.3 } },
			{ figure: "an everyday command, p99", value: quantile(times, 0.99), unit: "ms", must: { most: 3 } },
			{ figure: "an everyday command, mean of CPU time", value: mean, unit: "ms" },
			{ figure: `worst 64 KB input (${hardest.name}), CPU time`, value: hardest.ms, unit: "ms", must: { most: 100 } },
		],
		how: `${everyday.length} commands that read or write, ${ROUNDS} times each, on the real disk; ${hostile.length} hostile inputs, the best of three each.`,
	};
}
