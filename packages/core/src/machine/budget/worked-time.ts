// The working time of one worker. Pure.
import type { Stopping } from "../run/run.ts";

/** The fields of a stage that determine its worker's working time. */
type TimedStage = Pick<Stopping, "startedAt" | "uncountedMs" | "askedAt">;

/**
 * Milliseconds that the worker of a stage has worked up to `until` (ISO 8601), excluding time in which a question to the user was open or
 * the machine slept. 0 if it never started.
 */
export function workedMs({ startedAt, uncountedMs = 0, askedAt = "" }: TimedStage, until: string): number {
	if (startedAt === "" || until === "") return 0;
	const asked = askedAt === "" ? 0 : Math.max(0, difference(askedAt, until));
	return Math.max(0, difference(startedAt, until) - uncountedMs - asked);
}

/** Milliseconds from one moment to another, both ISO 8601. */
export function difference(from: string, to: string): number {
	return Date.parse(to) - Date.parse(from);
}
