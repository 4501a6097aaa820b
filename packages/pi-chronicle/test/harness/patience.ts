// How long tests wait, and how long what they measure may take. Both are written for an idle machine, and scale with the time that a bare pi took
// to start when the run began: stage.ts measures it.
import { deep } from "./runs.ts";

/** Milliseconds that a bare pi takes to start on two idle cores, with a margin. */
const usualStartMs = 700;

/** At least 1; 3 where pi takes three times as long to start as it may. */
const slowness = Math.max(1, Number(process.env.CHRONICLE_PI_START_MS ?? 0) / usualStartMs);

/** Test files that share the machine once the run is under way, which is not seen in how pi starts before it: the workers of vitest.config.ts. */
const crowd = deep ? 4 : 3;

/**
 * How long a test waits at most, in milliseconds: `ms` on this machine while all workers of the run are busy. Nothing is proved by it, so it is
 * generous: tests wait for conditions, not for fixed times.
 */
export function patient(ms: number): number {
	return Math.round(ms * slowness * crowd);
}

/** The most that a measured time may be, and times that a test gives to what it tests, in milliseconds: `ms` on this machine. */
export function within(ms: number): number {
	return Math.round(ms * slowness);
}
