// The user's answer for a template's cleanup commands, before a run starts or continues with them.
import { exitCodes } from "../../../pi/index.ts";
import { OWN_COMMAND, type Preparation } from "../../engine/index.ts";
import { cleanupLines } from "../phrases/index.ts";
import { type CommandCall, type CommandResponse, refused } from "./command.ts";

/** Whether the template's cleanup commands may run, or the reason why nothing is started. `command`: the command line that starts the run. */
export async function decideCleanup(
	{ host, parsed: { flags }, project: { place } }: CommandCall,
	{ cleanup, found }: Extract<Preparation, { kind: "ready" }>,
	command = "run",
): Promise<"approved" | "own" | "none" | CommandResponse> {
	if (!cleanup || flags.has("without-cleanup")) return "none";
	const lines = cleanupLines(cleanup.commands);
	if (flags.has("approve-cleanup")) {
		host.warn(["cleanup commands that may run:", ...lines].join("\n"));
		return "approved";
	}
	if (cleanup.standing !== "unknown") return cleanup.standing;
	if (host.approveCleanup) {
		const answer = await host.approveCleanup(found.key, lines);
		return answer ?? { kind: "done", lines: ["Nothing was started."], data: {} };
	}
	return refused({
		code: "cleanup-not-approved",
		exitCode: exitCodes.waits,
		message: `"${found.key}" has cleanup commands that you have not approved in this form, so nothing was started.`,
		remedy: `Review them, then start it with ${place.shell ?? OWN_COMMAND}${command} --approve-cleanup or --without-cleanup.`,
		lines,
	});
}
