// The footprint of one call of this session, on the real disk.
import { randomBytes } from "node:crypto";
import { computeFootprint, type Footprint, type MeasuredCall } from "@pi-chronicle/footprint";
import { cachedEnvironment, hostEnvironment } from "../pi/index.ts";
import type { PathFacts } from "./path-facts.ts";
import { isTemporary, type TemporaryPlaces, temporaryPlaces } from "./places.ts";

/** The footprint of a call that would run in `cwd`. */
export function measure(call: MeasuredCall, cwd: string): Footprint {
	const host = { ...cachedEnvironment(hostEnvironment(cwd)), unique: randomBytes(5).toString("hex") };
	return computeFootprint(call, host);
}

/** The facts about paths, seen from a session that works in `cwd`. */
export function pathFacts(cwd: string): PathFacts {
	const host = hostEnvironment(cwd);
	let temporary: TemporaryPlaces | undefined;
	return {
		exists: (path) => host.kind(path) !== undefined,
		isTemporary(place) {
			temporary ??= temporaryPlaces(host);
			return isTemporary(place, temporary);
		},
	};
}
