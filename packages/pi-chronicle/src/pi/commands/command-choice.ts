// What a command shows in the terminal when it is typed alone: a list of what may follow it. Enter runs the line of an entry, or fills it in.
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable } from "../../tui/text.ts";

type WordCompleter = NonNullable<Parameters<ExtensionAPI["registerCommand"]>[1]["getArgumentCompletions"]>;

export interface CommandChoice {
	/** What follows the command; empty: the command alone. */
	readonly words: string;
	/** As it is listed. */
	readonly name: string;
	readonly about: string;
	/** Whether the line is whole. Otherwise something follows, such as a task, and the line is filled in. */
	readonly whole: boolean;
}

export interface ChoiceList {
	readonly title: string;
	/** Text above the list; may be empty. */
	readonly text: string;
	readonly choices: readonly CommandChoice[];
}

/** The entries that a command completes behind `line`. `isWhole`: whether nothing has to follow an entry. */
export async function completedChoices(
	complete: WordCompleter,
	line: string,
	isWhole: (words: string) => boolean,
): Promise<CommandChoice[]> {
	const items = (await complete(line)) ?? [];
	return items.map(({ value, description = "" }) => ({
		words: value,
		name: value,
		about: printable(description),
		whole: isWhole(value),
	}));
}

/** Shows the list. Resolves to the words to run; `undefined`: the user has left, or the line is filled in. */
export async function chooseCommand(
	ctx: ExtensionCommandContext,
	command: string,
	{ title, text, choices }: ChoiceList,
): Promise<string | undefined> {
	const entries = choices.map((choice) => ({ value: choice, name: choice.name, about: choice.about }));
	const chosen = await chooseFromList(ctx, { title, text, entries });
	if (!chosen) return undefined;
	if (chosen.whole) return chosen.words;
	fillLine(ctx, `/${command} ${chosen.words} `);
	return undefined;
}

/** Puts a line in the editor, in sight at once: pi 1.6 draws a status that is set, but not a text. */
export function fillLine({ ui }: Pick<ExtensionContext, "ui">, line: string): void {
	ui.setEditorText(line);
	ui.setStatus("chronicle-line", undefined);
}

/** Shows a list in the terminal. Resolves to the value of the entry taken; `undefined`: the user has left. */
export async function chooseFromList<T>(
	ctx: ExtensionContext,
	list: {
		readonly title: string;
		/** Above the list; may be empty. */
		readonly text: string;
		readonly entries: readonly { readonly value: T; readonly name: string; readonly about: string }[];
	},
): Promise<T | undefined> {
	const { showListSheet, textBody } = await import("../../tui/index.ts");
	return showListSheet(ctx, { ...list, body: textBody(list.text) });
}
