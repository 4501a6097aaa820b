// How a line of text is shown, in pi's pages and on the command line alike: without anything that a terminal interprets, the color of its mark, and
// the column at which its continuation rows begin. Pure, and without pi's terminal library, because the command line may run without pi.

/** The tone of a mark; a subset of the tones of a line. */
export type MarkTone = "success" | "error" | "warning" | "accent" | "dim";

const marks: readonly (readonly [pattern: RegExp, tone: MarkTone])[] = [
	[/^(\s*)([✓■])(?= )/, "success"],
	[/^(\s*)(✗)(?= )/, "error"],
	[/^(\s*)([!‖?↶⊘])(?= )/, "warning"],
	[/^(\s*)([▸●])(?= )/, "accent"],
	[/^(\s*)(deny)(?=\b)/, "error"],
	[/^(\s*)(ask)(?= )/, "warning"],
	[/^(\s*)(Note:|Repaired:|…)/, "dim"],
];

/** The mark or word at the start of a line, after its blanks; `undefined` if there is none. */
export function markOf(
	line: string,
): { readonly indent: string; readonly mark: string; readonly tone: MarkTone } | undefined {
	for (const [pattern, tone] of marks) {
		const [, indent = "", mark] = pattern.exec(line) ?? [];
		if (mark !== undefined) return { indent, mark, tone };
	}
	return undefined;
}

/** The number and sign of a line of a diff, the number of an entry. */
const numbered = /^ *(?:› )?\d+(?:\.| [-+ ]) {1,2}/;
/** Text that a second column follows. */
const firstColumn = /^ *\S+(?: \S+)* {2,}(?=\S)/;
/** Blanks, the mark of a selected line, the mark of a speaker or a state. */
const marked = /^ *(?:› )?(?:[»●▸·✓✗‖⊘■!?↶] )?/;

/**
 * Characters of the line before the text below which its continuation rows begin: the text after the line's number, else its second column,
 * else the text after its mark. 0 if that would leave too little room. `columns`: of the screen; `width`: gives the columns of a text.
 */
export function hangingIndent(line: string, columns: number, width: (text: string) => number): number {
	const fits = (pattern: RegExp, share: number): number | undefined => {
		const [text = ""] = pattern.exec(line) ?? [];
		return text !== "" && width(text) <= columns * share ? text.length : undefined;
	};
	return fits(numbered, 1 / 3) ?? fits(firstColumn, 3 / 5) ?? fits(marked, 1 / 3) ?? 0;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f]/g;
/**
 * Complete escape sequences by their grammar (ECMA-48); an incomplete one is text. Commands that move, erase or color have a parameter or
 * belong to the few that need none; a title or link starts with a number and ends on its line.
 */
const sequences =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
	/(?:\u001b\[|\u009b)(?:[\d;:?]+[A-Za-z]|[mKJH])|(?:\u001b\]|\u009d)\d+;[^\u0007\u001b\u009c\u009d\n]*(?:\u0007|\u001b\\|\u009c)/g;
/** Most texts need no change. */
const harmless = /^[\t\n\u0020-\u007e]*$/;
const lineBreaks = /\r\n?|[\u2028\u2029\u0085]/g;
/** They reorder the text that follows, so that a path, a command or code looks different from what it is. */
const overrides = /[\u202a-\u202e\u2066-\u2069]/g;
const invisible = /[\u061c\u200e\u200f\ufeff\ufffe\uffff]/g;

/**
 * Removes escape sequences, control characters and invisible marks, and escapes what changes the direction of text. Keeps line breaks and tabs.
 * @public
 */
export function printable(text: string): string {
	return harmless.test(text) ? text : withoutControls(text.replace(sequences, ""));
}

/**
 * Removes control characters and invisible marks, and escapes what changes the direction of text; keeps everything readable, including in escape
 * sequences.
 * @public
 */
export function withoutControls(text: string): string {
	const plain = text.replace(lineBreaks, "\n").replace(controls, "").replace(invisible, "");
	return plain.replace(overrides, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`).toWellFormed();
}
