// What a run does now, as its parent records it: for display, and for limits on time. Pure.
import { cutText } from "../../snapshot/index.ts";
import { type ChildActivity, isActivityStage } from "../run/child-run.ts";
import type { Run, Stage } from "../run/run.ts";
import { workedMs } from "./worked-time.ts";

const argsBytes = 200;

/** What the run does now; `undefined` while it waits, is over, or is between two stages. */
export function activityOf({ stage, calls, children, providerWait }: Run): ChildActivity | undefined {
	if (!isActivityStage(stage.kind)) return undefined;
	if (stage.kind === "children") return { stage: stage.kind, ...runningBelow(children) };
	if (stage.kind === "awaiting_provider")
		return { stage: stage.kind, ...(providerWait ? { next: providerWait.next } : {}) };
	if (stage.kind === "stopping") return { stage: stage.kind, ...running(stage) };
	if (stage.kind !== "working") return { stage: stage.kind };
	const call = calls.open.at(-1);
	return {
		stage: stage.kind,
		...running(stage),
		...(call ? { tool: call.tool, args: cutText(call.args, argsBytes).text } : {}),
	};
}

type Running = Pick<ChildActivity, "since" | "workers" | "ms">;

/** The time of the worker that is in no totals yet. While its question waits, none is added. */
function running(stage: Extract<Stage, { kind: "working" | "stopping" }>): Running {
	const { startedAt, uncountedMs = 0, askedAt = "" } = stage;
	if (startedAt === "") return {};
	if (askedAt !== "") return { ms: workedMs(stage, askedAt) };
	return { since: new Date(Date.parse(startedAt) + uncountedMs).toISOString() };
}

/** The same of all workers of the children. */
function runningBelow(group: Run["children"]): Running {
	const all = (group?.children ?? []).flatMap(({ activity }) => (activity ? [activity] : []));
	const ms = all.reduce((sum, one) => sum + (one.ms ?? 0), 0);
	const workers = all.reduce((sum, one) => sum + workersIn(one), 0);
	const moments = all.reduce(
		(sum, one) => sum + (workersIn(one) === 0 ? 0 : Date.parse(one.since ?? "") * workersIn(one)),
		0,
	);
	return {
		...(workers > 0 ? { since: new Date(Math.round(moments / workers)).toISOString() } : {}),
		...(workers > 1 ? { workers } : {}),
		...(ms > 0 ? { ms } : {}),
	};
}

/** How many workers of a child work. */
function workersIn(activity: ChildActivity | undefined): number {
	return activity?.since === undefined ? 0 : (activity.workers ?? 1);
}

/** Milliseconds that the workers of a child have worked up to `now` (ISO 8601) beyond the child's totals. */
export function activityMs(activity: ChildActivity | undefined, now: string): number {
	const ms = Date.parse(now) - Date.parse(activity?.since ?? "");
	return (activity?.ms ?? 0) + (Number.isFinite(ms) ? Math.max(0, ms) * workersIn(activity) : 0);
}

/** Whether the same workers work since the same moments. */
export function runsAlike(one: ChildActivity | undefined, other: ChildActivity | undefined): boolean {
	return one?.since === other?.since && one?.workers === other?.workers && one?.ms === other?.ms;
}

/** The workers of all children that work. */
export function workersBelow({ children }: Run): number {
	return (children?.children ?? []).reduce((sum, { activity }) => sum + workersIn(activity), 0);
}
