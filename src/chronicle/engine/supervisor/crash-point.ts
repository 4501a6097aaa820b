// Named points between a write and the action that depends on it. A test names one in the environment, and the process kills itself there
// with SIGKILL, as a power failure would. Without the variable a point costs one call of an empty function.

/** `<point>` or `<point>#<n>`: die when the point is reached for the n-th time, from 1. */
export const CRASH_VARIABLE = "PI_CHRONICLE_CRASH_AT";

/** Returns, or kills the process. */
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
