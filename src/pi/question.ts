// Questions to the person in front of this session, in every mode. It asks; what an answer means is the asker's business.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** `nobody`: there is no one to ask (print and json mode), or the question was taken back before an answer. */
export type Answer = "yes" | "no" | "nobody";

export interface Question {
	readonly title: string;
	/** Plain text, may have several lines. */
	readonly message: string;
	/** Takes the question back. */
	readonly signal?: AbortSignal | undefined;
	/** In ms; without it the question waits as long as the person does. */
	readonly timeout?: number;
}

/** Asks yes or no. Escape is a no. */
export async function askPerson(ctx: ExtensionContext, question: Question): Promise<Answer> {
	if (!ctx.hasUI || question.signal?.aborted) return "nobody";
	const yes = await ctx.ui.confirm(question.title, question.message, dialogOptions(question));
	if (yes) return "yes";
	return question.signal?.aborted ? "nobody" : "no";
}

function dialogOptions({ signal, timeout }: Pick<Question, "signal" | "timeout">) {
	return { ...(signal ? { signal } : {}), ...(timeout === undefined ? {} : { timeout }) };
}
