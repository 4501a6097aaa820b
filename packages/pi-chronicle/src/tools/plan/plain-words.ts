// Plain words that ask for a run ("do this as a chronicle"): the user is asked once whether the model may propose runs, and the answer is kept.
// Until then the model knows nothing of runs, and its requests stay the same.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { jsonObject } from "../../disk/index.ts";
import type { ToolSwitch } from "../../pi/index.ts";

/** What starts a run, near its beginning. */
const start = "(?:run|start|launch|begin|kick off|use|do|make|with|as)";
const askings = [
	new RegExp(`\\b${start}\\b[^.!?\\n]{0,60}\\bchronicles?\\b`, "i"),
	/\b(?:start|launch|begin|kick off|as) (?:a|an|another|the) (?!(?:dry|test|trial)[ -])(?:[\w-]+ ){0,2}runs?\b(?! of\b)/i,
	/\b(?:run|start|launch|use) (?:the |a |our )?[\w-]+ template\b/i,
];

/** Whether a message asks for a run. Commands and shell lines do not. */
export function asksForRun(text: string): boolean {
	return !/^\s*[/!]/.test(text) && askings.some((asking) => asking.test(text));
}

/** The user's answer, which is kept in `file`; `undefined`: not asked yet. */
export function keptAnswer(file: string): boolean | undefined {
	const on = jsonObject(file)?.on;
	return typeof on === "boolean" ? on : undefined;
}

/** Asks when a message of the user first asks for a run. An answer that is put off is asked for again in the next session. */
export function listenForRuns(pi: ExtensionAPI, proposals: ToolSwitch, file: string): void {
	let asked = false;
	pi.on("input", async ({ text, source }, ctx) => {
		if (asked || source === "extension" || !ctx.hasUI || !asksForRun(text) || proposals.decided(ctx)) return undefined;
		asked = true;
		const { askForRuns } = await import("./ask-for-runs.ts");
		const on = await askForRuns(ctx, file);
		if (on === undefined) return undefined;
		if (on) await proposals.follow(ctx);
		return undefined;
	});
}
