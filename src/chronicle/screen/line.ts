// Lines of toned text, and fitting them into a width. What a tone looks like is the painter's business: colours in the terminal, nothing
// in RPC, print and without colour. Widths are terminal columns.
import { sliceByColumn, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";

/** `coloured`: the text carries colours of its own and has been flattened by whoever put them in. */
export type Tone = "plain" | "dim" | "accent" | "success" | "warning" | "error" | "coloured";

export interface Span {
	readonly text: string;
	readonly tone: Tone;
}

export type Line = readonly Span[];

/** Gives a text its tone. */
export type Paint = (tone: Tone, text: string) => string;

export const unpainted: Paint = (_tone, text) => text;

export const plain = (text: string): Span => ({ text, tone: "plain" });
export const dim = (text: string): Span => ({ text, tone: "dim" });

/** Columns that the line takes. */
export function lineWidth(line: Line): number {
	return line.reduce((sum, { text }) => sum + visibleWidth(text), 0);
}

/** Cuts the line to `width` columns, with `…` where something is missing. Line breaks and control characters become blanks. */
export function fitLine(line: Line, width: number): Line {
	const fitted: Span[] = [];
	let left = width;
	for (const { text, tone } of line) {
		const clean = tone === "coloured" ? text : flat(text);
		const columns = visibleWidth(clean);
		if (columns > left) {
			if (left > 0)
				fitted.push({ tone, text: tone === "coloured" ? truncateToWidth(clean, left, "…") : cutPlain(clean, left) });
			return fitted;
		}
		fitted.push({ tone, text: clean });
		left -= columns;
	}
	return fitted;
}

/** Cuts text without colours; what pi's cutting adds for coloured text has no place in plain lines. */
function cutPlain(text: string, columns: number): string {
	return `${sliceByColumn(text, 0, columns - 1, true)}…`;
}

/** Joins parts with a separator and breaks the line before a part that does not fit; a part alone is never broken. */
export function wrapParts(parts: readonly Line[], separator: Span, width: number): Line[] {
	const lines: Span[][] = [];
	let current: Span[] = [];
	for (const part of parts) {
		const joined = current.length === 0 ? [...part] : [...current, separator, ...part];
		if (current.length > 0 && lineWidth(joined) > width) {
			lines.push(current);
			current = [...part];
		} else current = joined;
	}
	if (current.length > 0) lines.push(current);
	return lines;
}

/** The line as text. */
export function paintLine(line: Line, paint: Paint): string {
	return line.map(({ text, tone }) => paint(tone, text)).join("");
}

/** One line of text that no terminal takes for anything else: tabs as blanks, control characters gone. */
export function flat(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: what a worker says may carry any; none may reach the terminal
	return text.replaceAll("\t", "    ").replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
