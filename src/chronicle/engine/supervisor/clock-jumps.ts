// Whether the wall clock, by which events are dated, shows what has passed while a worker worked.
// J1 it is looked at only while one works: then alone a timer runs.
import type { Clock } from "../../core/index.ts";

export interface ClockJumps {
	/** Looks from now on, or no more. */
	watch(works: boolean): void;
	/** Milliseconds that the clock shows and that did not pass, since the last look; 0 for small ones. */
	take(): number;
}

/** Clocks are corrected in small steps all the time. */
const smallMs = 2000;

export function openClockJumps(clock: Clock): ClockJumps {
	let awake: ReturnType<NonNullable<Clock["awake"]>> | undefined;
	let last = { wall: 0, awake: 0 };
	return {
		watch(works) {
			if (works === (awake !== undefined)) return;
			awake?.close();
			awake = works ? clock.awake?.() : undefined;
			if (awake) last = { wall: clock.now(), awake: awake.now() };
		},
		take() {
			if (!awake) return 0;
			const now = { wall: clock.now(), awake: awake.now() };
			const ms = Math.round(now.wall - last.wall - (now.awake - last.awake));
			last = now;
			return Math.abs(ms) < smallMs ? 0 : ms;
		},
	};
}
