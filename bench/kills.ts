// Kills many runs at random times and prints how they ended: `node bench/kills.ts [runs] [seed] [children]`; with `children` they are runs with
// child runs of all shapes, with the name of a shape only of that (test/kills/children-run.ts). A run takes a few seconds. The first failure is printed with its seed and error. Exit code 0: every run finished.

import { endFile } from "../packages/pi-chronicle/test/harness/lifetime.ts";
import stage from "../packages/pi-chronicle/test/harness/stage.ts";
import { type Shape, shapes } from "../packages/pi-chronicle/test/kills/children-run.ts";
import { killAtRandom } from "../packages/pi-chronicle/test/kills/random.ts";
import { killChildrenAtRandom } from "../packages/pi-chronicle/test/kills/random-children.ts";

const [count = "500", first = String(Date.now() % 1_000_000), kind] = process.argv.slice(2);
const runs = Number(count);
const seed = Number(first);
const unstage = stage({ onTestsRerun() {} } as never);
/** Sums of the figures of all runs. */
const sums: Record<string, number> = {};
let failed = 0;
const began = performance.now();
const tell = (done: number): void => {
	const minutes = ((performance.now() - began) / 60_000).toFixed(1);
	const figures = Object.entries(sums).map(([name, sum]) => `${sum} ${name}`);
	console.log([`${done} runs`, ...figures, `${failed} failed`, `${minutes} min`].join(", "));
};
for (let n = 0; n < runs; n++) {
	try {
		const most = 1 + (n % 8);
		const figures: Record<string, number> =
			kind === undefined ? await runFigures(seed + n, most) : await treeFigures(seed + n, most, kind);
		for (const [name, figure] of Object.entries(figures)) sums[name] = (sums[name] ?? 0) + figure;
	} catch (error) {
		failed += 1;
		console.error(error);
	}
	await endFile();
	if ((n + 1) % 10 === 0 || n + 1 === runs) tell(n + 1);
}
unstage();
process.exitCode = failed === 0 ? 0 : 1;

async function runFigures(of: number, most: number) {
	const { kills, lostAnswers } = await killAtRandom(of, most);
	return { kills, "answers lost on their way": lostAnswers };
}

async function treeFigures(of: number, most: number, name: string) {
	const shape = (Object.keys(shapes) as Shape[]).find((one) => one === name);
	if (name !== "children" && shape === undefined) throw new Error(`There is no shape ${name}.`);
	const { kills, resumes } = await killChildrenAtRandom(of, most, shape);
	return { kills, "resumes after them": resumes };
}
