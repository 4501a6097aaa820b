// kill -9 at random times of runs with children, one of each shape; `node bench/kills.ts 200 1 children` runs many. Real pi, scripted model.
import { expect, it } from "vitest";
import { patient } from "../harness/patience.ts";
import { seed } from "../harness/runs.ts";
import { shapes } from "./children-run.ts";
import { killChildrenAtRandom } from "./random-children.ts";

it.each(Object.keys(shapes).map((_, n) => seed + n))(
	"three kills at random times of a run with children, seed %i",
	{ timeout: patient(180_000) },
	async (each) => {
		const { kills } = await killChildrenAtRandom(each, 3);
		expect(kills).toBeLessThanOrEqual(3);
	},
);
