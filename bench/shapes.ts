// Time and memory of a judgement by shapes of text: 10,000 texts of up to 64 KB, made from their numbers. CPU time of this process, which other
// load does not affect.
import { makeText, randomNumbers } from "../packages/footprint/test/shapes.ts";
import { cpuMs } from "../packages/pi-chronicle/test/harness/cpu.ts";
import { openSetting, starterRules } from "../packages/pi-chronicle/test/safety/guard/guarded-project.ts";
import type { Figures } from "./figure.ts";

const TEXTS = 10_000;
/** A judgement above this time (ms) is repeated: the collector or a first use may be the reason. */
const DOUBTFUL = 50;

export async function bench(): Promise<Figures> {
	const setting = openSetting(starterRules);
	const judge = async (command: string): Promise<{ readonly ms: number; readonly bytes: number }> => {
		const heap = process.memoryUsage().heapUsed;
		const ms = await cpuMs(() => setting.bash(command));
		return { ms, bytes: Math.max(0, process.memoryUsage().heapUsed - heap) };
	};
	let worst = { seed: 0, ms: 0 };
	let most = 0;
	try {
		for (let seed = 0; seed < TEXTS; seed++) {
			const command = makeText(randomNumbers(seed));
			let { ms, bytes } = await judge(command);
			for (let round = 0; round < 3 && ms > DOUBTFUL; round++) ms = Math.min(ms, (await judge(command)).ms);
			if (ms > worst.ms) worst = { seed, ms };
			most = Math.max(most, bytes);
		}
	} finally {
		await setting.close();
	}
	return {
		name: "shapes",
		rows: [
			{
				figure: `worst of ${TEXTS.toLocaleString("en-US")} texts (${worst.seed}), CPU time`,
				value: worst.ms,
				unit: "ms",
				must: { most: 100 },
			},
			{ figure: "most memory that a judgement takes", value: most, unit: "bytes", must: { most: 100_000_000 } },
		],
		how: "Random shapes: paths, operands, options, nesting, repetition, pipelines and mixtures, with the programs of the table, under the starter rules. Texts above 50 ms are judged again, the best counts.",
	};
}
