// Asks the user for words to an agent. Words that are too long stay in the line of the terminal, so that nothing has to be typed again.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { askForLine, type InputQuestion, say } from "../../../pi/index.ts";
import { tooLong } from "../commands/index.ts";

/** The words, trimmed; `undefined` if the user left, or wrote too much over RPC, which is reported. */
export async function askForWords(ctx: ExtensionContext, question: InputQuestion): Promise<string | undefined> {
	const { message = "" } = question;
	let text: string | undefined;
	for (let problem: string | undefined; ; ) {
		const shown = problem === undefined ? message : `${problem}\n\n${message}`;
		const words = await askForLine(ctx, { ...question, message: shown, ...(text === undefined ? {} : { text }) });
		problem = words === undefined ? undefined : tooLong(words.trim());
		if (problem === undefined) return words?.trim();
		if (ctx.mode !== "tui") {
			say(ctx, problem, "warning");
			return undefined;
		}
		text = words;
	}
}
