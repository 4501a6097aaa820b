// Builds a sheet for a plain-text question. Pure.
import { type SheetSpec, textBody } from "./sheet.ts";

export interface WordedQuestion<Option extends string> {
	/** If it has several lines, those after the first are shown below it. */
	readonly title: string;
	/** Plain text, possibly several lines. */
	readonly message: string;
	/** The options in order, the safe answer first. */
	readonly options: readonly Option[];
	/** Letters that select an answer immediately. */
	readonly keys?: Readonly<Partial<Record<Option, string>>>;
	/** Label for the effect of Escape: `Esc later`. */
	readonly leave?: string;
	/** Not caused by the user's command. */
	readonly uncalled?: boolean;
}

/** The question as a sheet; the options are its answers. */
export function questionSheet<Option extends string>(question: WordedQuestion<Option>): SheetSpec<Option> {
	const { message, options, keys, leave = "Esc cancels", uncalled = false } = question;
	const [title = "", ...more] = question.title.split("\n");
	const text = [more.join("\n").trim(), message].filter((part) => part !== "").join("\n\n");
	const choices = options.map((option) => {
		const key = keys?.[option];
		return { value: option, words: option, ...(key === undefined ? {} : { key }) };
	});
	return { title, body: textBody(text), choices, leave, uncalled };
}
