// What a run does now, as its parent records it for display. Pure.
import { cutText } from "../snapshot/index.ts";
import { type ChildActivity, isActivityStage } from "./child-run.ts";
import type { Run } from "./run.ts";

const argsBytes = 200;

/** What the run does now; `undefined` while it waits, is over, or is between two stages. */
export function activityOf({ stage, calls }: Run): ChildActivity | undefined {
	if (!isActivityStage(stage.kind)) return undefined;
	const call = stage.kind === "working" ? calls.open.at(-1) : undefined;
	if (call === undefined) return { stage: stage.kind };
	return { stage: stage.kind, tool: call.tool, args: cutText(call.args, argsBytes).text };
}
