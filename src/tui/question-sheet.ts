// A plain-text question as a sheet. Pure.
import { type SheetSpec, textBody } from "./sheet.ts";

export interface WordedQuestion<Option extends string> {
	/** Where it has several lines, those behind the first are read below it. */
	readonly title: string;
	/** Plain text, may have several lines. */
	readonly message: string;
	/** What can be chosen, in order: the safe answer first. */
	readonly options: readonly Option[];
	/** Letters that give an answer at once. */
	readonly keys?: Readonly<Partial<Record<Option, string>>>;
	/** What Escape does: `Esc later`. */
	readonly leave?: string;
	/** Not caused by a command of the user. */
	readonly uncalled?: boolean;
}

/** The sheet of the question; the options are its answers. */
export function questionSheet<Option extends string>(question: WordedQuestion<Option>): SheetSpec<Option> {
	const { message, options, keys, leave = "Esc leaves it", uncalled = false } = question;
	const [title = "", ...more] = question.title.split("\n");
	const text = [more.join("\n").trim(), message].filter((part) => part !== "").join("\n\n");
	const choices = options.map((option) => {
		const key = keys?.[option];
		return { value: option, words: option, ...(key === undefined ? {} : { key }) };
	});
	return { title, body: textBody(text), choices, leave, uncalled };
}
