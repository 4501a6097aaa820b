// A monotonic clock that counts only the time during which this process could run. Whether a system clock counts a suspend differs between
// systems, and none excludes a stop (SIGSTOP, Ctrl+Z); a timer that fires far too late reveals both.
// Setting the wall clock changes nothing; the timer keeps no process alive and ends with `close`; time in which a rehearsal waits for
// the person who answers for the model does not count.
import { readdirSync } from "node:fs";

/** Names the folder (absolute) whose files with this ending stop the clock: the requests that wait in a rehearsal by hand. */
export const HOLD_VARIABLE = "PI_CHRONICLE_HOLD";
export const HELD_SUFFIX = ".request.json";

export interface AwakeClock {
	/** Milliseconds from an arbitrary start. */
	now(): number;
	close(): void;
}

export interface AwakeOptions {
	readonly tickMs?: number;
	/** Milliseconds that a timer may be late on a busy machine. */
	readonly lateMs?: number;
	/** Default: `performance.now`. */
	readonly monotonic?: () => number;
	/** Absolute path of the folder that stops the clock. Default: as the environment says. */
	readonly hold?: string | undefined;
}

export function openAwakeClock(options: AwakeOptions = {}): AwakeClock {
	const { tickMs = 1000, lateMs = 4000, monotonic = () => performance.now() } = options;
	const { hold = process.env[HOLD_VARIABLE] } = options;
	let last = monotonic();
	let awake = 0;
	const look = (): void => {
		const now = monotonic();
		const passed = now - last;
		last = now;
		if (hold === undefined || !isHeld(hold)) awake += passed > tickMs + lateMs ? tickMs : passed;
	};
	const timer = setInterval(look, tickMs);
	timer.unref();
	return {
		now() {
			look();
			return awake;
		},
		close: () => clearInterval(timer),
	};
}

function isHeld(folder: string): boolean {
	try {
		return readdirSync(folder).some((name) => name.endsWith(HELD_SUFFIX));
	} catch {
		return false;
	}
}
