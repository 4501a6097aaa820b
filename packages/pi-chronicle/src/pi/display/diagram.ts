// Shows a Mermaid chart.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { pageDrawing } from "./pager.ts";
import { say } from "./say.ts";

/** Shows the lines of a chart, with `notes` below: drawn on a separate page in the terminal, as Mermaid text elsewhere. */
export async function showDiagram(
	ctx: ExtensionContext,
	title: string,
	lines: readonly string[],
	notes: readonly string[] = [],
): Promise<void> {
	const below = notes.length === 0 ? [] : ["", ...notes];
	if (ctx.mode !== "tui") return say(ctx, ["```mermaid", ...lines, "```", ...below].join("\n"));
	await pageDrawing(ctx, title, [...(await drawDiagram(lines)), ...below]);
}

/** Draws a chart as lines; returns its source if it cannot be drawn. */
export async function drawDiagram(lines: readonly string[]): Promise<readonly string[]> {
	const { render } = await import("lovely-mermaid");
	return render(glued(lines))?.plain.map(unglued) ?? lines;
}

/** Non-breaking blank for the text of a box; it is not white space, and one column wide. */
const glue = "\u2800";

/** Prepares a chart for a renderer that breaks lines of a box only at blanks: breaks remain possible only between the parts of a label. */
function glued(lines: readonly string[]): string {
	const label = (_: string, text: string) => `"${text.replaceAll(" ", glue).replaceAll(/<br\s*\/?>/g, ` ·${glue}`)}"`;
	return lines.map((line) => line.replace(/"([^"]*)"/g, label)).join("\n");
}

function unglued(line: string): string {
	// A part on its own line needs no separator before it.
	return line.replaceAll(new RegExp(`([│┃]\\s*)·${glue}`, "g"), "$1  ").replaceAll(glue, " ");
}
