// A Mermaid chart in front of a person.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { pageMarkdown } from "./pager.ts";
import { say } from "./say.ts";

/** Shows the lines of a chart: drawn on a page of its own in the terminal, as Mermaid text elsewhere. */
export async function showDiagram(ctx: ExtensionContext, title: string, lines: readonly string[]): Promise<void> {
	if (ctx.mode !== "tui") return say(ctx, ["```mermaid", ...lines, "```"].join("\n"));
	const { render } = await import("lovely-mermaid");
	const drawn = render(lines.join("\n"))?.plain ?? lines;
	await pageMarkdown(ctx, title, drawn.map(asDrawn).join("  \n"));
}

/** A line of a drawing as Markdown that keeps its spaces. A blank one would end the paragraph. */
function asDrawn(line: string): string {
	return `\`${line.trim() === "" ? "\u00a0" : line.replaceAll("`", "'")}\``;
}
