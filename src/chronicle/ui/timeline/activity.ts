// What a run does now in readable form: `bash npm test` instead of `bash command=npm test`. Pure.
import type { ChildActivity } from "../../core/index.ts";
import { timeOf } from "./moment.ts";

/** The tool and its arguments. `args` is the line `key=value key=value` in the ledger. */
export function callText(tool: string, args: string): readonly [tool: string, words: string] {
	// The first argument identifies the call; its name adds nothing.
	return [tool, args.replace(/^[A-Za-z_]\w*=/, "")];
}

/** `bash npm test`, or what happens instead of a call. */
export function activityText({ stage, tool, args = "", next }: ChildActivity): string {
	if (next !== undefined) return `${stageTexts[stage]} until ${timeOf(next)}`;
	return tool === undefined ? stageTexts[stage] : callText(tool, args).join(" ").trim();
}

const stageTexts: Readonly<Record<ChildActivity["stage"], string>> = {
	launching: "starting a worker",
	working: "waiting for the model",
	stopping: "cleaning up, comparing files",
	restoring: "restoring files",
	children: "child runs running",
	awaiting_provider: "waiting for the provider",
};
