// Plays chaos schedules on an engine and prints how they ended: `node bench/chaos.ts [events] [runs] [seed] [schedules]`. With 150 events for 30 runs, one
// takes about six minutes. The first failure is printed with its seed. Exit code 0: everything held.

import { endFile } from "../packages/pi-chronicle/test/harness/lifetime.ts";
import { playChaos } from "../packages/postgres/test/chaos/play.ts";

const [count = 150, runs = 30, first = Date.now() % 1_000_000, schedules = 1] = process.argv.slice(2).map(Number);
let failed = 0;
for (let n = 0; n < schedules; n += 1) {
	try {
		const tell = process.env.CHAOS_STORY === undefined ? () => {} : console.log;
		console.log(JSON.stringify(await playChaos(first + n, { runs, count, workMs: 6000, tell })));
	} catch (error) {
		failed += 1;
		console.error((error as Error).message);
	}
	await endFile();
}
process.exitCode = failed === 0 ? 0 : 1;
