// Lines of styled text, fitted to a width. The painter decides the look of a tone: colors in the terminal, nothing in RPC, print and
// without color. Widths are terminal columns.
import type { Theme } from "@earendil-works/pi-coding-agent";
import { sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { hangingIndent, markOf, printable } from "./text.ts";

/** `colored`: the text contains its own color codes, and the code that added them has already called `flat`. */
export type Tone = "plain" | "dim" | "accent" | "success" | "warning" | "error" | "colored";

export interface StyledText {
	readonly text: string;
	readonly tone: Tone;
}

export type Line = readonly StyledText[];

export type Paint = (tone: Tone, text: string) => string;

/** Paints with pi's current theme. */
export function themed(ui: { readonly theme: Pick<Theme, "fg"> }): Paint {
	return (tone, text) => (tone === "plain" || tone === "colored" ? text : ui.theme.fg(tone, text));
}

export const unpainted: Paint = (_tone, text) => text;

export const plain = (text: string): StyledText => ({ text, tone: "plain" });
export const dim = (text: string): StyledText => ({ text, tone: "dim" });

/** A line of text, with the color of its mark. */
export function markedLine(text: string): Line {
	const found = markOf(text);
	if (found === undefined) return [plain(text)];
	const { indent, mark, tone } = found;
	return [plain(indent), { text: mark, tone }, plain(text.slice(indent.length + mark.length))];
}

/** Maximum number of rows of a sentence. */
const maxSentenceRows = 3;

/** Wraps a sentence to at most three lines. */
export function wrapText({ text, tone }: StyledText, width: number): Line[] {
	const rows = wrapTextWithAnsi(flat(text), Math.max(1, width));
	const shown = rows.slice(0, maxSentenceRows);
	return shown.map((row, index) => [
		{ text: index === shown.length - 1 && rows.length > shown.length ? `${row} …` : row, tone },
	]);
}

/** Width of the line in columns. */
export function lineWidth(line: Line): number {
	return line.reduce((sum, { text }) => sum + visibleWidth(text), 0);
}

/** Cuts the line to `width` columns, with `…` if something is cut. Line breaks and control characters become blanks. */
export function fitLine(line: Line, width: number): Line {
	const fitted: StyledText[] = [];
	let left = width;
	for (const { text, tone } of line) {
		const clean = tone === "colored" ? text : flat(text);
		const columns = visibleWidth(clean);
		if (columns > left) {
			if (left > 0)
				fitted.push({ tone, text: tone === "colored" ? truncateToWidth(clean, left, "…") : cutPlain(clean, left) });
			return fitted;
		}
		fitted.push({ tone, text: clean });
		left -= columns;
	}
	return fitted;
}

/** The line without its first `columns` columns. A wide character that crosses the cut is dropped. */
export function sliceLine(line: Line, columns: number): Line {
	let left = columns;
	return line.flatMap(({ text, tone }): StyledText[] => {
		const wide = visibleWidth(text);
		const cut = Math.min(left, wide);
		left -= cut;
		if (cut === wide) return [];
		return [{ tone, text: cut === 0 ? text : sliceByColumn(text, cut, wide - cut, true) }];
	});
}

/** Cuts text without colors, because the codes that pi's cutting adds for colored text do not belong in plain lines. */
function cutPlain(text: string, columns: number): string {
	// Text that is cut already has one.
	return `${sliceByColumn(text, 0, columns - 1, true).replace(/…$/, "")}…`;
}

/**
 * Joins parts with a separator and breaks the line before a part that does not fit. A single part is never broken. A function gives the
 * separator before the part with that index.
 */
export function wrapParts(
	parts: readonly Line[],
	separator: StyledText | ((index: number) => StyledText),
	width: number,
): Line[] {
	const lines: StyledText[][] = [];
	let current: StyledText[] = [];
	for (const [index, part] of parts.entries()) {
		const between = typeof separator === "function" ? separator(index) : separator;
		const joined = current.length === 0 ? [...part] : [...current, between, ...part];
		if (current.length > 0 && lineWidth(joined) > width) {
			lines.push(current);
			current = [...part];
		} else current = joined;
	}
	if (current.length > 0) lines.push(current);
	return lines;
}

/** The line without anything that a terminal interprets as other than text. */
export function cleanLine(line: Line): Line {
	return line.map((span) => (span.tone === "colored" ? span : { ...span, text: flat(span.text) }));
}

const maxRows = 40;

/** Number of rows that a clean line needs at this width. */
export function rowCount(line: Line, width: number): number {
	return lineWidth(line) <= width ? 1 : paintRows(line, width, unpainted).length;
}

/** The line as rows of text, each at most `width` columns wide. The rest continues on the next row. */
export function paintRows(line: Line, width: number, paint: Paint): string[] {
	const columns = Math.max(1, width);
	const clean = fitLine(line, maxRows * columns);
	if (lineWidth(clean) <= columns) return [paintLine(clean, paint)];
	const indent = hangingIndent(clean.map(({ text }) => text).join(""), columns, visibleWidth);
	const [head, rest] = splitLine(clean, indent);
	const blanks = lineWidth(head);
	const rows = wrapTextWithAnsi(paintLine(rest, paint), columns - blanks);
	return rows.map((row, index) => (index === 0 ? paintLine(head, paint) : " ".repeat(blanks)) + row);
}

function splitLine(line: Line, count: number): readonly [before: Line, after: Line] {
	let left = count;
	const before: StyledText[] = [];
	const after: StyledText[] = [];
	for (const span of line) {
		const taken = span.tone === "colored" ? 0 : Math.min(left, span.text.length);
		left -= taken;
		if (taken > 0) before.push({ ...span, text: span.text.slice(0, taken) });
		if (taken < span.text.length) after.push({ ...span, text: span.text.slice(taken) });
	}
	return [before, after];
}

/** The line as text. */
export function paintLine(line: Line, paint: Paint): string {
	return line.map(({ text, tone }) => paint(tone, text)).join("");
}

/** One line of plain text without anything that a terminal interprets: tabs become blanks, control characters are removed. */
export function flat(text: string): string {
	return printable(text).replaceAll("\t", "    ").replaceAll("\n", " ");
}
