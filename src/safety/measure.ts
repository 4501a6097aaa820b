// The footprint of one call of this session, on the real disk.

import { computeFootprint, type Footprint } from "../footprint/index.ts";
import { cachedEnvironment, hostEnvironment } from "../pi/index.ts";
import type { ToolCall } from "./policy/index.ts";

/** The footprint of a call that would run in `cwd`. */
export function measure(call: ToolCall, cwd: string): Footprint {
	const { tool, input, hints, own, known } = call;
	return computeFootprint(
		{ tool, input, ...(hints ? { annotations: hints } : {}), ...(own ? { own } : {}), ...(known ? { known } : {}) },
		cachedEnvironment(hostEnvironment(cwd)),
	);
}

/** Whether anything is at `path`, broken links included. */
export function pathExists(path: string): boolean {
	return hostEnvironment("/").kind(path) !== undefined;
}
