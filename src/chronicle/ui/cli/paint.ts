// Colors of lines on a terminal. Pipes, `NO_COLOR` and terminals without color get plain text.
import { styleText } from "node:util";

type Style = "green" | "red" | "yellow" | "cyan" | "dim";

/** Marks at the start of a line, and words, with their colors. */
const marked: readonly (readonly [pattern: RegExp, style: Style])[] = [
	[/^(\s*)([✓■])(?= )/, "green"],
	[/^(\s*)(✗)(?= )/, "red"],
	[/^(\s*)([!‖?↶⊘])(?= )/, "yellow"],
	[/^(\s*)([▸●])(?= )/, "cyan"],
	[/^(\s*)(deny)(?=\b)/, "red"],
	[/^(\s*)(ask)(?= )/, "yellow"],
	[/^(\s*)(Note:|Repaired:|…)/, "dim"],
];

/** The line with the color of its mark. */
export function colorMark(line: string, stream: NodeJS.WriteStream): string {
	for (const [pattern, style] of marked) {
		const [whole, indent = "", mark = ""] = pattern.exec(line) ?? [];
		if (whole !== undefined) return `${indent}${paint(style, mark, stream)}${line.slice(whole.length)}`;
	}
	return line;
}

function paint(style: Style, text: string, stream: NodeJS.WriteStream): string {
	return styleText(style, text, { stream });
}
