// Shows a Mermaid chart.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { pageDrawing } from "./pager.ts";
import { say } from "./say.ts";

/** Shows the lines of a chart: drawn on a page of its own in the terminal, as Mermaid text elsewhere. */
export async function showDiagram(ctx: ExtensionContext, title: string, lines: readonly string[]): Promise<void> {
	if (ctx.mode !== "tui") return say(ctx, ["```mermaid", ...lines, "```"].join("\n"));
	await pageDrawing(ctx, title, await drawDiagram(lines));
}

/** The drawing of a chart, line by line; its source if it cannot be drawn. */
export async function drawDiagram(lines: readonly string[]): Promise<readonly string[]> {
	const { render } = await import("lovely-mermaid");
	return render(glued(lines))?.plain.map(unglued) ?? lines;
}

/** Stands for a blank at which no line of a box may be broken; not white space, and one column wide. */
const glue = "\u2800";

/** The chart for a drawing that breaks the lines of a box at blanks and knows no other breaks: between the parts of a label alone. */
function glued(lines: readonly string[]): string {
	const label = (_: string, text: string) => `"${text.replaceAll(" ", glue).replaceAll(/<br\s*\/?>/g, ` ·${glue}`)}"`;
	return lines.map((line) => line.replace(/"([^"]*)"/g, label)).join("\n");
}

function unglued(line: string): string {
	// A part that has a line of its own needs no sign before it.
	return line.replaceAll(new RegExp(`([│┃]\\s*)·${glue}`, "g"), "$1  ").replaceAll(glue, " ");
}
