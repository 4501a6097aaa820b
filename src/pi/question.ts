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

/** Lets the person choose one of `options`; `undefined` for Escape, a question taken back, or nobody to ask. */
export async function letChoose<Option extends string>(
	ctx: ExtensionContext,
	question: Omit<Question, "message">,
	options: readonly Option[],
): Promise<Option | undefined> {
	if (!ctx.hasUI || question.signal?.aborted) return undefined;
	const chosen = await ctx.ui.select(question.title, [...options], dialogOptions(question));
	return options.find((option) => option === chosen);
}

function dialogOptions({ signal, timeout }: Pick<Question, "signal" | "timeout">) {
	return { ...(signal ? { signal } : {}), ...(timeout === undefined ? {} : { timeout }) };
}
