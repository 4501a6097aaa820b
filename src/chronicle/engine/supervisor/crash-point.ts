// Named points between a write and the act that depends on it. A test names one in the environment and the process dies there by SIGKILL,
// as a laptop does. Without the variable a point costs one look at a constant.

/** `<point>` or `<point>#<n>`: die when the point is reached for the n-th time, from 1. */
export const CRASH_VARIABLE = "PI_CHRONICLE_CRASH_AT";

/** Passes, or ends the process at once. */
export type CrashPoint = (name: string) => void;

/** The points of one supervisor. */
export function openCrashPoints(wanted = process.env[CRASH_VARIABLE]): CrashPoint {
	if (wanted === undefined || wanted === "") return () => {};
	const [point = "", count = "1"] = wanted.split("#");
	let left = Number(count);
	return (name) => {
		if (name !== point) return;
		left -= 1;
		if (left === 0) process.kill(process.pid, "SIGKILL");
	};
}
