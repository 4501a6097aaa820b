// kill -9 at random times of runs with children, one of each shape; `node bench/kills.ts 200 1 children` runs many. Real pi, scripted model.
import { expect, it } from "vitest";
import { patient } from "../harness/patience.ts";
import { seed } from "../harness/runs.ts";
import { killChildrenAtRandom } from "./random-children.ts";

// Seven runs are one of each shape but "two that need the first", which `node bench/kills.ts` plays.
it.each(Array.from({ length: 7 }, (_, n) => seed + n))(
	"four kills at random times of a run with children, seed %i",
	{ timeout: patient(180_000) },
	async (each) => {
		const { kills } = await killChildrenAtRandom(each, 4);
		expect(kills).toBeLessThanOrEqual(4);
	},
);
