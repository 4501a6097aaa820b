// The footprint of one call of this session, on the real disk.

import { computeFootprint, type Footprint, type MeasuredCall } from "../footprint/index.ts";
import { cachedEnvironment, hostEnvironment } from "../pi/index.ts";

/** The footprint of a call that would run in `cwd`. */
export function measure(call: MeasuredCall, cwd: string): Footprint {
	return computeFootprint(call, cachedEnvironment(hostEnvironment(cwd)));
}

/** Whether anything is at `path`, broken links included. */
export function pathExists(path: string): boolean {
	return hostEnvironment("/").kind(path) !== undefined;
}
