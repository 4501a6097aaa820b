// Kills many runs at random times and prints how they ended: `node bench/kills.ts [runs] [seed]`. A run takes a few seconds. The first
// failure is printed with its seed and error. Exit code 0: every run finished.

import { killAtRandom } from "../test/chronicle/kills/random.ts";
import { endFile } from "../test/harness/lifetime.ts";
import stage from "../test/harness/stage.ts";

const [count = "500", first = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const runs = Number(count);
const seed = Number(first);
const unstage = stage({ onTestsRerun() {} } as never);
let kills = 0;
let lost = 0;
let failed = 0;
const began = performance.now();
const tell = (done: number): void => {
	const minutes = ((performance.now() - began) / 60_000).toFixed(1);
	console.log(`${done} runs, ${kills} kills, ${lost} answers lost on their way, ${failed} failed, ${minutes} min`);
};
for (let n = 0; n < runs; n++) {
	try {
		const done = await killAtRandom(seed + n, 1 + (n % 8));
		kills += done.kills;
		lost += done.lostAnswers;
	} catch (error) {
		failed += 1;
		console.error(error);
	}
	await endFile();
	if ((n + 1) % 10 === 0 || n + 1 === runs) tell(n + 1);
}
unstage();
process.exitCode = failed === 0 ? 0 : 1;
