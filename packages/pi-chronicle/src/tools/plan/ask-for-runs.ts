// The question whether the model may propose runs, which is asked once, and where its answer is kept.
import { dirname } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { attempt, makePrivateFolder, replaceFileSync } from "../../disk/index.ts";
import { answerKeys, chooseOption, say } from "../../pi/index.ts";

/** Asks whether the model may propose runs, and keeps the answer in `file`; `undefined`: the user has put it off. */
export async function askForRuns(ctx: ExtensionContext, file: string): Promise<boolean | undefined> {
	const yes = "Yes, from now on";
	const no = "No, never";
	const later = "Not now";
	const answer = await chooseOption(ctx, {
		title: "May the model propose runs when you ask for one?",
		message:
			"You still decide about each run before it starts. The model gets one more tool, propose_run, in all sessions.",
		options: [later, yes, no],
		keys: { [later]: answerKeys.later, [yes]: answerKeys.always, [no]: answerKeys.never },
		leave: "Esc: not now",
		uncalled: true,
	});
	if (answer !== yes && answer !== no) return undefined;
	const on = answer === yes;
	await keepAnswer(file, on);
	say(
		ctx,
		on
			? "The model can propose runs now. /chronicle tool off changes that."
			: "The model will not propose runs. /chronicle tool on changes that.",
	);
	return on;
}

/** Keeps the answer; a failure only means that the user is asked again. */
async function keepAnswer(file: string, on: boolean): Promise<void> {
	await makePrivateFolder(dirname(file)).catch(() => {});
	attempt(() => replaceFileSync(file, `${JSON.stringify({ on })}\n`));
}
