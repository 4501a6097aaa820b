// kill -9 at random times, a few per test run; `node bench/kills.ts 500` runs many. Real pi, scripted model.
import { expect, it } from "vitest";
import { patient } from "../harness/patience.ts";
import { killAtRandom } from "./random.ts";

/** `CHRONICLE_KILL_SEED` repeats a failure. */
const seed = Number(process.env.CHRONICLE_KILL_SEED ?? Date.now() % 1_000_000);

it.each(Array.from({ length: 10 }, (_, n) => seed + n))(
	"six kills at random times, every third run without standbys, seed %i",
	{ timeout: patient(120_000) },
	async (each) => {
		const { kills, lostAnswers } = await killAtRandom(each, 6, each % 3 === 0 ? 0 : 2);
		expect(lostAnswers).toBeLessThanOrEqual(kills);
	},
);
