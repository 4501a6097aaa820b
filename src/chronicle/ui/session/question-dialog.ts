// Asks the user of this session what a worker asks with `ask_user`: the question, its proposed answers, and a line for other words.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable } from "../../../pi/index.ts";
import { showSheet } from "../../../tui/index.ts";
import type { Run, UserQuestion } from "../../core/index.ts";
import { askedLines, runTitle } from "../phrases/index.ts";
import { askedSheet } from "../screen/index.ts";
import { askForWords } from "./ask-for-words.ts";

export interface QuestionRequest {
	readonly ctx: ExtensionContext;
	readonly question: UserQuestion;
	readonly run: Run;
	/** Withdraws the question. */
	readonly signal: AbortSignal;
	/** It opens automatically, not through a command of the user. */
	readonly uncalled: boolean;
}

const ownWords = "Answer in your own words";

/** The answer; `undefined` if the user postpones it. */
export async function askQuestion(request: QuestionRequest): Promise<string | undefined> {
	const { question, signal } = request;
	const { choices } = question;
	for (let uncalled = request.uncalled; !signal.aborted; uncalled = false) {
		const chosen = choices.length === 0 ? "words" : await choose(request, uncalled);
		if (typeof chosen === "number") return choices[chosen];
		if (chosen === undefined) return undefined;
		const words = await write(request, choices.length === 0 && uncalled);
		if (words !== undefined) return words;
		if (choices.length === 0) return undefined;
	}
	return undefined;
}

/** The index of a proposed answer, or `words` for another one. */
async function choose(
	{ ctx, question, run, signal }: QuestionRequest,
	uncalled: boolean,
): Promise<number | "words" | undefined> {
	const { text, choices } = question;
	const title = titleOf(run);
	if (ctx.mode === "tui") return showSheet(ctx, askedSheet({ title, text, choices, ownWords, uncalled }, run), signal);
	const options = [...choices.map((choice, index) => `${index + 1} ${printable(choice)}`), ownWords];
	const chosen = await ctx.ui.select(printable(`${title}\n${text}`), options, { signal });
	const at = options.indexOf(chosen ?? "");
	return at === -1 ? undefined : at === choices.length ? "words" : at;
}

/** The user's words; `undefined` if there are none. */
async function write({ ctx, question, run, signal }: QuestionRequest, uncalled: boolean): Promise<string | undefined> {
	const title = titleOf(run);
	const message = printable(askedLines(question).join("\n"));
	const isTerminal = ctx.mode === "tui";
	const words = await askForWords(ctx, {
		title: isTerminal ? title : printable(`${title}\n${message}`),
		message: isTerminal ? message : "",
		placeholder: "Your answer",
		leave: question.choices.length === 0 ? "Esc later" : "Esc back",
		signal,
		uncalled,
	});
	return words === "" ? undefined : words;
}

function titleOf(run: Run): string {
	return printable(`${run.parent?.name ?? runTitle(run)} · ${run.state} asks`);
}
