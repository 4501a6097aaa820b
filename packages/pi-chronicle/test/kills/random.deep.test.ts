// kill -9 at random times, a few per test run; `node bench/kills.ts 500` runs many. Real pi, scripted model.
import { expect, it } from "vitest";
import { patient } from "../harness/patience.ts";
import { seed } from "../harness/runs.ts";
import { killAtRandom } from "./random.ts";

it.each(Array.from({ length: 6 }, (_, n) => seed + n))(
	"six kills at random times, every third run without standbys, seed %i",
	{ timeout: patient(120_000) },
	async (each) => {
		const { kills, lostAnswers } = await killAtRandom(each, 6, each % 3 === 0 ? 0 : 2);
		expect(lostAnswers).toBeLessThanOrEqual(kills);
	},
);
