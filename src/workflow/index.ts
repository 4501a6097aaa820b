// Workflows: what the rest of the house may use. Registering costs two commands and two events; everything else is imported when a
// person runs a command, or when a session has a run in it.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { customEntries, type Scope } from "../pi/index.ts";
import type { Policies } from "../safety/index.ts";
import type * as Session from "./session/index.ts";

export { type Catalogue, loadCatalogue, type WorkflowDefinition, workflowRoots } from "./definitions/index.ts";

/** Registers `/workflow` and `/cancel-workflow`, and takes up the run of a session that has one. */
export function registerWorkflow(
	pi: ExtensionAPI,
	parts: { readonly scope: Scope; readonly policies: Policies },
): void {
	let opened: Promise<typeof Session & { readonly workflows: Session.Workflows }> | undefined;
	const open = () => {
		opened ??= import("./session/index.ts").then((session) => ({
			...session,
			workflows: session.openWorkflows(pi, parts),
		}));
		return opened;
	};
	// Completions are asked for without a context; only what is plain data of it is kept.
	let place = { cwd: process.cwd(), trusted: false };

	pi.registerCommand("workflow", {
		description: "Run a workflow: /workflow <name> <task>; alone it lists what there is",
		getArgumentCompletions: async (prefix) => {
			const { workflows, completeWorkflow } = await open();
			return completeWorkflow(workflows, prefix, place);
		},
		handler: async (args, ctx) => {
			const { workflows, runWorkflow } = await open();
			await runWorkflow(workflows, ctx, args);
		},
	});
	pi.registerCommand("cancel-workflow", {
		description: "End the workflow that is on",
		handler: async (_args, ctx) => {
			const { workflows, cancelWorkflow } = await open();
			cancelWorkflow(workflows, ctx);
		},
	});

	pi.on("session_start", async (_event, ctx) => {
		place = { cwd: ctx.cwd, trusted: ctx.isProjectTrusted() };
		const [state] = customEntries(ctx.sessionManager, ["workflow:state"]);
		if (state || opened) (await open()).workflows.restore(ctx, "greet");
	});
	pi.on("session_tree", async (_event, ctx) => {
		const [state] = customEntries(ctx.sessionManager, ["workflow:state"]);
		if (state || opened) (await open()).workflows.restore(ctx, "silently");
	});
}
