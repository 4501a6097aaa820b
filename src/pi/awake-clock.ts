// Time in which this process ran: a monotonic clock that leaves out what nobody could do anything in. Whether a clock counts a suspend differs
// from system to system, and none leaves out a stop (SIGSTOP, Ctrl+Z); a timer that comes far too late shows both.
// A1 setting the wall clock changes nothing; A2 the timer keeps no process alive, and ends with `close`.

export interface AwakeClock {
	/** Milliseconds, from an arbitrary beginning. */
	now(): number;
	close(): void;
}

export interface AwakeOptions {
	readonly tickMs?: number;
	/** A timer may come this much too late on a busy machine. */
	readonly lateMs?: number;
	/** Default: `performance.now`. */
	readonly monotonic?: () => number;
}

/** Starts the clock. */
export function openAwakeClock(options: AwakeOptions = {}): AwakeClock {
	const { tickMs = 1000, lateMs = 4000, monotonic = () => performance.now() } = options;
	let last = monotonic();
	let awake = 0;
	const look = (): void => {
		const now = monotonic();
		const passed = now - last;
		awake += passed > tickMs + lateMs ? tickMs : passed;
		last = now;
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
