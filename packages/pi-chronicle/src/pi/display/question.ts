// Questions to the user of this session, in every mode: an overlay in the terminal, pi's own dialogs over RPC. The safe answer comes first.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { answerKeys } from "../../tui/answer-keys.ts";
import type { WordedQuestion } from "../../tui/index.ts";

/** `nobody`: no user can be asked (print and JSON mode), or the question was withdrawn before an answer. */
export type Answer = "yes" | "no" | "nobody";

export interface Question {
	readonly title: string;
	/** Plain text, possibly several lines. */
	readonly message: string;
	/** Withdraws the question. */
	readonly signal?: AbortSignal | undefined;
	/** Not caused by a command: the user may be typing. */
	readonly uncalled?: boolean;
}

export interface YesOrNo extends Question {
	/** Labels of the answers in the terminal. */
	readonly words?: { readonly yes: string; readonly no: string };
	/** Label for the effect of Escape in the terminal. */
	readonly leave?: string;
	/** The safe answer: first in the terminal, and the result of Escape. Default: no. */
	readonly safe?: "yes" | "no";
}

/** Asks yes or no. A dialog dismissed over RPC means no. */
export async function askUser(ctx: ExtensionContext, question: YesOrNo): Promise<Answer> {
	const { signal } = question;
	if (!ctx.hasUI || signal?.aborted) return "nobody";
	if (ctx.mode === "tui") return askOnSheet(ctx, question);
	const yes = await ctx.ui.confirm(question.title, question.message, signal && { signal });
	if (yes) return "yes";
	return signal?.aborted ? "nobody" : "no";
}

async function askOnSheet(ctx: ExtensionContext, question: YesOrNo): Promise<Answer> {
	const { words = { yes: "Yes", no: "No" }, safe = "no" } = question;
	const { yes, no } = words;
	const chosen = await chooseOption(ctx, {
		...question,
		options: safe === "no" ? [no, yes] : [yes, no],
		keys: { [no]: answerKeys.no, [yes]: answerKeys.yes },
		leave: question.leave ?? `Esc: ${words[safe]}`,
	});
	if (chosen === "nobody" && question.signal?.aborted) return "nobody";
	return chosen === undefined ? safe : chosen === yes ? "yes" : "no";
}

export interface ChoiceQuestion<Option extends string> extends WordedQuestion<Option> {
	/** Withdraws the question. */
	readonly signal?: AbortSignal | undefined;
}

/** Asks for one of several answers; `undefined` if the dialog was closed without one. */
export async function chooseOption<Option extends string>(
	ctx: ExtensionContext,
	choice: ChoiceQuestion<Option>,
): Promise<Option | "nobody" | undefined> {
	const { signal } = choice;
	if (!ctx.hasUI || signal?.aborted) return "nobody";
	const chosen = ctx.mode === "tui" ? await chooseOnSheet(ctx, choice) : await chooseByDialog(ctx, choice);
	return chosen === undefined && signal?.aborted ? "nobody" : chosen;
}

async function chooseByDialog<Option extends string>(
	{ ui }: ExtensionContext,
	{ title, message, options, signal }: ChoiceQuestion<Option>,
): Promise<Option | undefined> {
	const text = message === "" ? title : `${title}\n\n${message}`;
	const chosen = await ui.select(text, [...options], signal && { signal });
	return options.find((option) => option === chosen);
}

async function chooseOnSheet<Option extends string>(
	ctx: ExtensionContext,
	choice: ChoiceQuestion<Option>,
): Promise<Option | undefined> {
	const { questionSheet, showSheet } = await import("../../tui/index.ts");
	return showSheet(ctx, questionSheet(choice), choice.signal);
}

export interface InputQuestion extends Omit<Question, "message"> {
	/** Shown above the line in the terminal: plain text, possibly several lines. */
	readonly message?: string;
	/** What Escape does, in the terminal. */
	readonly leave?: string;
	readonly placeholder?: string | undefined;
	/** What the line holds at first, in the terminal. */
	readonly text?: string | undefined;
	/** Gets what the user has typed in the terminal if the question is closed without an answer. */
	readonly left?: ((text: string) => void) | undefined;
}

/** Asks for text; `undefined` if there is none. Over RPC only the title is shown; a text to correct is shown in an editor. */
export async function askForLine(ctx: ExtensionContext, question: InputQuestion): Promise<string | undefined> {
	const { title, message = "", placeholder, text: written, signal, uncalled = false, leave = "Esc cancels" } = question;
	if (!ctx.hasUI || signal?.aborted) return undefined;
	if (ctx.mode !== "tui")
		return written === undefined
			? ctx.ui.input(title, placeholder, signal && { signal })
			: ctx.ui.editor(`${title}\n\n${message}`.trim(), written);
	const [first = "", ...rest] = title.split("\n");
	const text = [...rest, message].join("\n").trim();
	const { plain, showInputSheet } = await import("../../tui/index.ts");
	const lines = text === "" ? [] : text.split("\n").map((line) => [plain(line)]);
	const sheet = { title: first, lines, placeholder, text: written, leave, uncalled };
	return showInputSheet(ctx, sheet, { signal, left: question.left });
}
