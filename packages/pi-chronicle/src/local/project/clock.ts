// The system's clock, as the supervisor's port.

import type { Clock } from "@pi-chronicle/core/ports";
import { openAwakeClock } from "../../pi/index.ts";

/** Real time. A sleep ends at once when its signal aborts. */
export const systemClock: Clock = {
	now: () => Date.now(),
	awake: () => openAwakeClock(),
	sleep: (ms, signal) =>
		new Promise((resolve) => {
			if (signal.aborted) return resolve();
			const done = (): void => {
				clearTimeout(timer);
				signal.removeEventListener("abort", done);
				resolve();
			};
			const timer = setTimeout(done, ms);
			signal.addEventListener("abort", done);
		}),
};
