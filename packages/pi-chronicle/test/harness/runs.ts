// The number of runs of every property. It imports nothing, so that pure tests can use it.

/** Whether this is the deep run, `npm run test:deep`: every test, with more of what is random. */
export const deep = process.env.CHRONICLE_DEEP === "1";

/** Runs of a property whose single run is cheap. */
const tries = deep ? 600 : 100;

/**
 * The number of runs of a property or a random walk. Write `fc.assert(…, { numRuns: runs() })`; if one run is expensive, `factor` reduces them:
 * `runs(0.1)` is 10 on every push and 60 in the deep run. At least 1. A factor above 1 applies to pushes only.
 */
export function runs(factor = 1): number {
	return Math.max(1, Math.round(tries * (deep ? Math.min(1, factor) : factor)));
}

/**
 * The seed of every property, so that results are reproducible for the same source. To search further, use another:
 * `CHRONICLE_SEED=$RANDOM npm run test:deep`.
 */
export const seed = Number(process.env.CHRONICLE_SEED ?? 20_261_128);
