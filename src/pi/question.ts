// Questions to the person in front of this session, in every mode. It asks; what an answer means is the asker's business.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** `nobody`: there is no one to ask (print and json mode), or the question was taken back before an answer. */
export type Answer = "yes" | "no" | "nobody";

export interface Question {
	readonly title: string;
	/** Plain text, may have several lines. */
	readonly message: string;
	/** What the two answers are called on the screen; without it Yes and No. */
	readonly words?: { readonly yes: string; readonly no: string };
	/** Takes the question back. */
	readonly signal?: AbortSignal | undefined;
	/** In ms; without it the question waits as long as the person does. */
	readonly timeout?: number;
}

/**
 * Asks yes or no. Escape is a no, and so is a stray Enter: in the terminal "no" comes first and is selected. `title` and `message` ask
 * for what loses or changes something, so that "no" is the safe answer.
 */
export async function askPerson(ctx: ExtensionContext, question: Question): Promise<Answer> {
	if (!ctx.hasUI || question.signal?.aborted) return "nobody";
	const yes = ctx.mode === "tui" ? await chooseYes(ctx, question) : await confirmYes(ctx, question);
	if (yes) return "yes";
	return question.signal?.aborted ? "nobody" : "no";
}

export interface Choice<Option extends string> extends Question {
	/** What can be chosen, in order: the safe answer first. */
	readonly options: readonly Option[];
}

/** Asks for one of several answers; `undefined` where the dialog was closed without one. */
export async function choosePerson<Option extends string>(
	ctx: ExtensionContext,
	choice: Choice<Option>,
): Promise<Option | "nobody" | undefined> {
	if (!ctx.hasUI || choice.signal?.aborted) return "nobody";
	const text = `${choice.title}\n\n${choice.message}`;
	const chosen = await ctx.ui.select(text, [...choice.options], dialogOptions(choice));
	if (chosen === undefined && choice.signal?.aborted) return "nobody";
	return choice.options.find((option) => option === chosen);
}

/** pi's own confirmation has "Yes" first. */
async function chooseYes(ctx: ExtensionContext, question: Question): Promise<boolean> {
	const { yes, no } = question.words ?? { yes: "Yes", no: "No" };
	const chosen = await ctx.ui.select(`${question.title}\n${question.message}`, [no, yes], dialogOptions(question));
	return chosen === yes;
}

/** Other clients draw a confirmation themselves. */
function confirmYes(ctx: ExtensionContext, question: Question): Promise<boolean> {
	return ctx.ui.confirm(question.title, question.message, dialogOptions(question));
}

function dialogOptions({ signal, timeout }: Pick<Question, "signal" | "timeout">) {
	return { ...(signal ? { signal } : {}), ...(timeout === undefined ? {} : { timeout }) };
}
