// Numbers the raw steps for the recorder and `/sequence show`. Commands stay as typed, unexpanded. Pure.
import { counted } from "@pi-chronicle/core/definition";
import { hasPlaceholder } from "./arguments.ts";

/** Maximum number of lines shown per step, and of characters per line. */
const linesPerStep = 4;
const lineLength = 600;

/** A line that is safe to show: tabs and control characters occupy one column and have no effect. */
export function plainLine(text: string): string {
	return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) => (character === "\t" ? " " : "·"));
}

/**
 * Lines of the preview: a heading, then each step with its number, with further lines of a step indented below it. `marked` is the index of
 * the current step; `note` follows the first line of a step. Lines are not cut to a width.
 */
export function previewLines(
	steps: readonly string[],
	marked?: number,
	note: (step: string) => string = () => "",
): string[] {
	const digits = String(steps.length).length;
	const lines = ["Sequence"];
	steps.forEach((step, index) => {
		const [first = "", ...rest] = step.split("\n").map((line) => cutLine(plainLine(line)));
		const mark = index === marked ? "›" : "";
		const number = `${index + 1}.`.padStart(digits + 1);
		lines.push(`${mark}${number} ${first}${note(step)}`);
		const shown = rest.slice(0, linesPerStep - 1);
		for (const line of shown) lines.push(`${" ".repeat(digits + 2)}${line}`);
		if (rest.length > shown.length) lines.push(`${" ".repeat(digits + 2)}… ${rest.length - shown.length} more lines`);
	});
	return lines;
}

function cutLine(line: string): string {
	const more = line.length - lineLength;
	return more > 0 ? `${line.slice(0, lineLength)} … ${counted(more, "more character")}` : line;
}

/** The steps in a question about a run; those that take the arguments are marked. */
export function stepsText(steps: readonly string[]): string {
	return previewLines(steps, undefined, (step) => (hasPlaceholder(step) ? "  ← takes the arguments" : "")).join("\n");
}
