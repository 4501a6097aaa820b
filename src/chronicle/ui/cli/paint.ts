// Colors of lines on a terminal. Pipes, `NO_COLOR` and terminals without color get plain text.
import { styleText } from "node:util";
import { type MarkTone, markOf } from "../../../pi/index.ts";

const styles = {
	success: "green",
	error: "red",
	warning: "yellow",
	accent: "cyan",
	dim: "dim",
} as const satisfies Record<MarkTone, Parameters<typeof styleText>[0]>;

/** The line with the color of its mark. */
export function colorMark(line: string, stream: NodeJS.WriteStream): string {
	const found = markOf(line);
	if (found === undefined) return line;
	const { indent, mark, tone } = found;
	return `${indent}${styleText(styles[tone], mark, { stream })}${line.slice(indent.length + mark.length)}`;
}
