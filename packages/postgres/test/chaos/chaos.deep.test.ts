// A short schedule of faults from the seed of all tests; `node bench/chaos.ts` plays long ones. `CHAOS_SEED` repeats one of theirs.
import { expect, it } from "vitest";
import { patient } from "../../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../../pi-chronicle/test/harness/postgres.ts";
import { seed as fixed } from "../../../pi-chronicle/test/harness/runs.ts";
import { playChaos } from "./play.ts";

const seed = Number(process.env.CHAOS_SEED ?? fixed);

it(`six runs with children and approvals end as they should through 20 events of the seed ${seed}`, {
	...needsPostgres,
	timeout: patient(240_000),
}, async () => {
	const { runs } = await playChaos(seed, { runs: 6, count: 20, workMs: 1500 });
	expect(runs).toBeGreaterThan(6);
});
