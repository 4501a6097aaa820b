// The name of one launch, as keys and texts use it.
import type { LaunchId } from "./event.ts";

/** `<visit>.<attempt>.<launch>`. */
export function launchKey({ visit, attempt, launch }: LaunchId): string {
	return `${visit}.${attempt}.${launch}`;
}
