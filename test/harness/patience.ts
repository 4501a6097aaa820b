// How long tests wait. Their limits are written for a machine that has nothing else to do, and grow with the time that a bare pi took to
// start when the run began: stage.ts measures it.

/** What a bare pi takes on two quiet cores, with room to spare. */
const usualStartMs = 700;

/** At least 1; 3 where pi takes three times as long to start as it may. */
const slowness = Math.max(1, Number(process.env.CHRONICLE_PI_START_MS ?? 0) / usualStartMs);

/** A limit in milliseconds, for this machine as it is now. For limits alone: what a test wants to see is waited for, not slept for. */
export function patient(ms: number): number {
	return Math.round(ms * slowness);
}
