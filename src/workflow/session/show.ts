// `/workflow show`: a workflow as a diagram. In the terminal it is drawn; elsewhere its Mermaid text is given.
// Imported when somebody asks for it, because it brings the drawing with it.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { render } from "lovely-mermaid";
import { pageMarkdown, say } from "../../pi/index.ts";
import { type Catalogue, workflowDiagram } from "../definitions/index.ts";
import { notFoundText, rejectedText } from "./report.ts";
import { refuse } from "./starting.ts";
import type { Workflows } from "./workflows.ts";

/** Shows the workflow that `name` means by command or key, or the one that is on. */
export async function showWorkflow(
	{ desk }: Workflows,
	ctx: ExtensionCommandContext,
	name: string,
	catalogue: Catalogue,
): Promise<void> {
	const run = desk.active?.run;
	const live = run?.kind === "live" ? run : undefined;
	const key = name === "" ? live?.workflowKey : (catalogue.commands.get(name) ?? catalogue.definitions.get(name))?.key;
	if (key === undefined) {
		if (name === "") return refuse(ctx, "Say which workflow: /workflow show <name>");
		const rejected = catalogue.rejected.get(name);
		return refuse(ctx, rejected ? rejectedText(rejected, ctx.cwd) : notFoundText(name, catalogue));
	}
	// The run that is on is shown by the definition that it goes by, with its place marked.
	const current = live?.workflowKey === key ? live : undefined;
	const definitions = current?.definitions ?? catalogue.definitions;
	const lines = workflowDiagram({ ...catalogue, definitions }, key, current?.position);
	if (ctx.mode !== "tui") return say(ctx, ["```mermaid", ...lines, "```"].join("\n"));
	const drawn = render(lines.map(readable).join("\n"))?.plain ?? lines;
	await pageMarkdown(ctx, definitions.get(key)?.name ?? key, drawn.map(asDrawn).join("  \n"));
}

/** A line of a drawing as Markdown that keeps its spaces. A blank one would end the paragraph. */
function asDrawn(line: string): string {
	return `\`${line.trim() === "" ? "\u00a0" : line.replaceAll("`", "'")}\``;
}

/** The renderer shows entities as they are written; only what would end a label has to stay out of it. */
function readable(line: string): string {
	return line.replace(/#(\d+);/g, (_written, code: string) => String.fromCodePoint(Number(code)).replace('"', "'"));
}
