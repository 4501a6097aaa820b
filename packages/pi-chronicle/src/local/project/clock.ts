// The system's clock, as the supervisor's port.
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@pi-chronicle/core/ports";
import { openAwakeClock } from "../../pi/index.ts";

/** Real time. A sleep ends at once when its signal aborts. */
export const systemClock: Clock = {
	now: () => Date.now(),
	awake: () => openAwakeClock(),
	sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
};
