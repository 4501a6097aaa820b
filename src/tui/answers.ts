// Lays out the answers of a sheet as rows: the answer's letter, the pointer, and the words. Pure.
import { dim, fitLine, type Line, type Paint, paintLine, paintRows } from "./line.ts";

export interface ShownAnswers {
	readonly rows: readonly string[];
	/** Number of answers shown. */
	readonly shown: number;
	/** `answer 3 of 40`; empty if all answers are shown. */
	readonly position: string;
}

interface Answer {
	readonly words: string;
	readonly key?: string;
}

/** Rows of the text that stay visible, however many answers there are. */
const minText = 2;

/** Rows available for answers, out of the `inside` rows of a sheet whose text has `text` rows. */
export function rowsForAnswers(inside: number, text: number): number {
	return Math.max(1, inside - Math.min(text, Math.max(minText, Math.floor(inside / 4))));
}

/** Lays out the answers in at most `rows` rows; the selected one is always among them. `letters`: whether letter keys are active now. */
export function layAnswers(
	answers: readonly Answer[],
	room: { readonly selected: number; readonly width: number; readonly rows: number; readonly letters: boolean },
	paint: Paint,
): ShownAnswers {
	const { selected, width, rows, letters } = room;
	const keyed = answers.some(({ key }) => key !== undefined);
	const indent = keyed ? 4 : 2;
	const gutter = ({ key }: Answer, index: number): Line => {
		const letter = keyed ? `${letters && key !== undefined ? key : " "} ` : "";
		return [dim(letter), { text: index === selected ? "→ " : "  ", tone: "accent" }];
	};
	const words = (answer: Answer, index: number): Line => [
		{ text: answer.words, tone: index === selected ? "accent" : "plain" },
	];
	const whole = answers.flatMap((answer, index) =>
		paintRows(words(answer, index), Math.max(1, width - indent), paint).map(
			(row, at) => `${at === 0 ? paintLine(gutter(answer, index), paint) : " ".repeat(indent)}${row}`,
		),
	);
	if (whole.length <= rows) return { rows: whole, shown: answers.length, position: "" };
	const first = Math.max(0, Math.min(selected - Math.floor(rows / 2), answers.length - rows));
	const some = answers.slice(first, first + rows).map((answer, at) => {
		const index = first + at;
		return paintLine(fitLine([...gutter(answer, index), ...words(answer, index)], width), paint);
	});
	const position = some.length < answers.length ? `answer ${selected + 1} of ${answers.length}` : "";
	return { rows: some, shown: some.length, position };
}
