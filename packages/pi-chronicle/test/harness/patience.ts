// How long tests wait. Their limits are written for an idle machine, and scale with the time that a bare pi took to
// start when the run began: stage.ts measures it.

/** Milliseconds that a bare pi takes to start on two idle cores, with a margin. */
const usualStartMs = 700;

/** At least 1; 3 where pi takes three times as long to start as it may. */
const slowness = Math.max(1, Number(process.env.CHRONICLE_PI_START_MS ?? 0) / usualStartMs);

/** A time limit in milliseconds, scaled to the current load of this machine. For limits only: tests wait for conditions, not for fixed times. */
export function patient(ms: number): number {
	return Math.round(ms * slowness);
}
