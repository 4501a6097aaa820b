// A worker's time limits: in total, without activity, and of the run's active time. Time with an open question to the user does not count.
// One timer, and none while no limit can expire; silence counts only while the model works: a tool may be silent within the total.
import type { WorkerLimits } from "@pi-chronicle/core/ports";

export type Deadline = "idle" | "wall" | "budget";

export interface Deadlines {
	/** The worker was active. */
	sign(): void;
	/** The worker's current activity; silence counts only in `model`. */
	phase(phase: "model" | "tool" | "rest"): void;
	/** Number of questions that wait for the user. */
	asking(count: number): void;
	/** A new limit on active time, from now on; `undefined`: none. */
	allow(activeMs: number | undefined): void;
	close(): void;
}

/** Starts the timers; `expired` is called once. `now` is in milliseconds. */
export function openDeadlines(
	limits: Pick<WorkerLimits, "wallMs" | "idleMs" | "activeMs">,
	expired: (deadline: Deadline) => void,
	now: () => number = () => performance.now(),
): Deadlines {
	let timer: NodeJS.Timeout | undefined;
	let over = false;
	let last = now();
	let phase: "model" | "tool" | "rest" = "rest";
	let asked = 0;
	let runningSince: number | undefined = now();
	let used = 0;
	let active = limits.activeMs;
	let activeFrom = 0;

	const usedNow = (): number => used + (runningSince === undefined ? 0 : now() - runningSince);
	const nearest = (): { deadline: Deadline; left: number } | undefined => {
		if (asked > 0) return undefined;
		const all: { deadline: Deadline; left: number }[] = [];
		if (limits.wallMs !== undefined) all.push({ deadline: "wall", left: limits.wallMs - usedNow() });
		if (active !== undefined) all.push({ deadline: "budget", left: activeFrom + active - usedNow() });
		if (phase === "model") all.push({ deadline: "idle", left: limits.idleMs - (now() - last) });
		return all.sort((a, b) => a.left - b.left)[0];
	};
	const arm = (): void => {
		clearTimeout(timer);
		if (over) return;
		const next = nearest();
		if (!next) return;
		// A timer's delay is 31 bits wide.
		timer = setTimeout(check, Math.min(Math.max(next.left, 0), 2 ** 31 - 1));
	};
	const check = (): void => {
		const next = nearest();
		if (next && next.left <= 0) {
			over = true;
			expired(next.deadline);
		} else arm();
	};
	arm();
	return {
		// Activity is reported thousands of times: instead of moving the timer each time, check again when it fires.
		sign() {
			last = now();
		},
		phase(next) {
			if (next === phase) return;
			phase = next;
			last = now();
			arm();
		},
		asking(count) {
			if (count > 0 && asked === 0) {
				used = usedNow();
				runningSince = undefined;
			}
			if (count === 0 && asked > 0) {
				runningSince = now();
				last = now();
			}
			asked = count;
			arm();
		},
		allow(activeMs) {
			active = activeMs;
			activeFrom = usedNow();
			arm();
		},
		close() {
			over = true;
			clearTimeout(timer);
		},
	};
}
