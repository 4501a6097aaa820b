// How a line of text is shown, in pi's pages and on the command line alike: the color of its mark, and the column at which its continuation
// rows begin. Pure, and without pi's terminal library, because the command line may run without pi.

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
