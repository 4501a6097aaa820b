// What a command shows in the terminal when it is typed alone: a list of what may follow it. Enter runs the line of an entry, or fills it in.
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { printable } from "../tui/text.ts";

type Command = Parameters<ExtensionAPI["registerCommand"]>[1];
type Complete = NonNullable<Command["getArgumentCompletions"]>;

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
	complete: Complete,
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
	const { showListSheet, textBody } = await import("../tui/index.ts");
	const chosen = await showListSheet(ctx, {
		title,
		body: textBody(text),
		entries: choices.map((choice) => ({ value: choice, name: choice.name, about: choice.about })),
	});
	if (!chosen) return undefined;
	if (chosen.whole) return chosen.words;
	ctx.ui.setEditorText(`/${command} ${chosen.words} `);
	return undefined;
}
