// How often a property is tried: one constant for all of them. It imports nothing, so that pure tests can use it.

/** Whether this is the deep run, `npm run test:deep`: every test, with more of what is random. */
export const deep = process.env.CHRONICLE_DEEP === "1";

/** Tries of a property whose single try costs little. */
const tries = deep ? 1_500 : 100;

/**
 * The number of tries for a property or a random walk. Write `fc.assert(…, { numRuns: runs() })`; where one try costs much, `factor` says how
 * much fewer there are, `runs(0.1)`: 10 for every push, 150 in the deep run. At least 1. A factor above 1 counts for a push alone.
 */
export function runs(factor = 1): number {
	return Math.max(1, Math.round(tries * (deep ? Math.min(1, factor) : factor)));
}

/**
 * The seed of every property, so that a run says the same about the same source. To look for more, give another:
 * `CHRONICLE_SEED=$RANDOM npm run test:deep`.
 */
export const seed = Number(process.env.CHRONICLE_SEED ?? 20_261_128);
