// A monotonic clock that counts only the time during which this process could run. Whether a system clock counts a suspend differs between
// systems, and none excludes a stop (SIGSTOP, Ctrl+Z); a timer that fires far too late reveals both.
// A1 setting the wall clock changes nothing; A2 the timer keeps no process alive and ends with `close`.

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
}

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
