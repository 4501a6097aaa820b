// What a run does now, as its parent records it for display. Pure.
import { cutText } from "../snapshot/index.ts";
import { type ChildActivity, isActivityStage } from "./child-run.ts";
import type { Run, Stage } from "./run.ts";

const argsBytes = 200;

/** What the run does now; `undefined` while it waits, is over, or is between two stages. */
export function activityOf({ stage, calls }: Run): ChildActivity | undefined {
	if (!isActivityStage(stage.kind)) return undefined;
	if (stage.kind !== "working") return { stage: stage.kind };
	const since = uncountedSince(stage);
	const call = calls.open.at(-1);
	return {
		stage: stage.kind,
		...(since === undefined ? {} : { since }),
		...(call ? { tool: call.tool, args: cutText(call.args, argsBytes).text } : {}),
	};
}

/** The moment from which on the worker's time runs without a gap; `undefined`: it does not run. */
function uncountedSince({ startedAt, uncountedMs = 0, askedAt = "" }: Stage & { kind: "working" }): string | undefined {
	if (startedAt === "" || askedAt !== "") return undefined;
	return new Date(Date.parse(startedAt) + uncountedMs).toISOString();
}
