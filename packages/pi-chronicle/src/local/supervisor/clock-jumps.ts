// Detects jumps of the wall clock, which dates the events, while a worker works: the machine slept, or the clock was changed.
// A timer runs only while a worker works.
import type { Clock } from "@pi-chronicle/core/ports";

export interface ClockJumps {
	/** Starts or stops watching. */
	watch(works: boolean): void;
	/** Milliseconds by which the clock jumped since the last call; 0 for small corrections. */
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
