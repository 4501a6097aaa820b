// Dependencies of the action executor: the ports, the current run, and recording of results.
import { type EventBody, type LedgerEvent, type Run, remainderOf, type SpendFigures } from "@pi-chronicle/core/machine";
import type { SupervisorPorts } from "@pi-chronicle/core/ports";

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

export interface ExecutorContext extends SupervisorPorts {
	/** Whether this process has created the run. */
	readonly origin: "fresh" | "reopened";
	run(): Run;
	/** Resolves once the event is on disk, or with the reason why it is not recorded. */
	record(body: EventBody): Promise<string | undefined>;
	/** Whether this supervisor still holds the run. */
	holdsLease(): Promise<boolean>;
	readonly crashAt: CrashPoint;
	/** All recorded events, oldest first. */
	events(): AsyncIterable<LedgerEvent>;
	/** Path of the full record, for workers. */
	readonly place: string;
	/** Folder of the run's own files. */
	readonly folder: string;
}

/** The present moment, ISO 8601. */
export function nowOf({ clock }: ExecutorContext): string {
	return new Date(clock.now()).toISOString();
}

/** What the parents still leave the run; `undefined`: no ceiling of theirs applies. */
export function outerRemainder(context: ExecutorContext): SpendFigures | undefined {
	const ceilings = context.ceilings?.();
	return ceilings && remainderOf(ceilings, context.run(), nowOf(context));
}

/** Stops orphaned processes of the run's workers, and records their number. Resolves to whether there were any. */
export async function stopOrphansOf({ launcher, run, record }: ExecutorContext, visit: number): Promise<boolean> {
	const { stopped, left } = await launcher.stopOrphans(run().id);
	if (stopped === 0 && left === 0) return false;
	await record({ kind: "strays_stopped", visit, count: stopped, ...(left > 0 ? { left } : {}) });
	return true;
}
