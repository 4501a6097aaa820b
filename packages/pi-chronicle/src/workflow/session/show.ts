// `/workflow show`: draws a workflow as a diagram.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { rejectCommand, showDiagram } from "../../pi/index.ts";
import { type Catalogue, workflowDiagram } from "../definitions/index.ts";
import { notFoundText, rejectedText } from "./report.ts";
import type { Workflows } from "./workflows.ts";

/** Shows the workflow with the command or key `name`; without a name, the active one. */
export async function showWorkflow(
	{ controller }: Workflows,
	ctx: ExtensionCommandContext,
	name: string,
	catalogue: Catalogue,
): Promise<void> {
	const run = controller.active?.run;
	const live = run?.kind === "live" ? run : undefined;
	const key = name === "" ? live?.workflowKey : (catalogue.commands.get(name) ?? catalogue.definitions.get(name))?.key;
	if (key === undefined) {
		if (name === "") return rejectCommand(ctx, "Name a workflow: /workflow show <name>");
		const rejected = catalogue.rejected.get(name);
		return rejectCommand(ctx, rejected ? rejectedText(rejected, ctx.cwd) : notFoundText(name, catalogue));
	}
	// The active run is drawn from its pinned definition, with its position marked.
	const current = live?.workflowKey === key ? live : undefined;
	const definitions = current?.definitions ?? catalogue.definitions;
	const lines = workflowDiagram({ ...catalogue, definitions }, key, current?.position);
	await showDiagram(ctx, definitions.get(key)?.name ?? key, lines);
}
