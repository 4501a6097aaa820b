// Starts workflows and model turns. A run begins only when pi has accepted its first message: if pi refuses the message (no model, no
// key), nothing starts.
import { randomInt } from "node:crypto";
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { formatDiagnostic, pathList } from "@pi-chronicle/core/definition";
import { readUncommitted } from "../../disk/index.ts";
import { askUser, followRun, foreignTools, printable, rejectCommand, say, stepOf } from "../../pi/index.ts";
import { type Catalogue, emptyBlacklistEntries, type WorkflowDefinition } from "../definitions/index.ts";
import { stepTool } from "../limits/index.ts";
import { beginWorkflowRun, firstPosition, reachable } from "../phase-machine/index.ts";
import { abandonedText, initialMessage, phaseName, taskForUser } from "../prompts/index.ts";
import { cancelledType } from "./context-messages.ts";
import type { Workflows } from "./workflows.ts";

/** Starts `definition` with a task. Without a UI, returns when the workflow has ended or stopped. */
export async function startWorkflow(
	workflows: Workflows,
	ctx: ExtensionCommandContext,
	catalogue: Catalogue,
	definition: WorkflowDefinition,
	task: string,
): Promise<void> {
	const { pi, scope, controller, conversation } = workflows;
	// Check this before an active workflow is abandoned.
	if (!(await hasModel(ctx)))
		return rejectCommand(ctx, "No model is available: choose one with /model, or enter its key with /login.");
	if (!(await makeRoom(workflows, ctx))) return;
	if (!ctx.isIdle()) {
		say(ctx, `"${definition.name}" starts when pi has finished its current work.`);
		await ctx.waitForIdle();
		if (scope.closed) return;
	}
	const uncommitted = pathList(await workflows.inOrder(() => readUncommitted(ctx.cwd)));
	if (scope.closed) return;
	// From here to `expect` there is no `await`, so only one of two concurrent commands gets past this check.
	if (controller.active || conversation.starting) return rejectCommand(ctx, "Another workflow was started meanwhile.");
	controller.offerTool();
	if (!pi.getActiveTools().includes(stepTool)) {
		controller.withdrawTool();
		return rejectCommand(
			ctx,
			`pi was started without the tool ${stepTool}: add it to --tools, or omit --no-tools or --exclude-tools.`,
		);
	}

	// pi keeps one tool per name. A foreign tool would answer the model, and the workflow would never move.
	const foreign = foreignTools(pi, [stepTool], "a workflow");
	if (foreign !== undefined) {
		controller.withdrawTool();
		return rejectCommand(ctx, foreign);
	}

	const definitions = reachable(catalogue.definitions, definition.key);
	const tools = pi.getAllTools().map(({ name }) => name);
	for (const misspelt of emptyBlacklistEntries(catalogue, definitions.values(), tools))
		say(ctx, formatDiagnostic(misspelt, ctx.cwd), "warning");
	const at = Date.now();
	const run = beginWorkflowRun({
		id: `wf-${at}-${randomInt(36 ** 6)
			.toString(36)
			.padStart(6, "0")}`,
		definitions,
		workflowKey: definition.key,
		task,
		at,
		position: firstPosition(definitions, definition.key),
		uncommitted,
	});
	const text = initialMessage(run);
	conversation.expect(run, text);
	await startModelTurn(
		workflows,
		ctx,
		() => pi.sendUserMessage(text, { deliverAs: "followUp" }),
		() => {
			if (controller.held?.run.id === run.id) return;
			conversation.cancelStart(run);
			rejectCommand(ctx, `"${definition.name}" was not started: pi did not accept its first message.`);
		},
	);
}

/**
 * Calls `start`, which starts the model. With a UI, returns at once; without one, or in a sequence step, waits until pi has settled.
 * `after` is called when pi has settled or did not start.
 */
export async function startModelTurn(
	{ pi, scope }: Workflows,
	ctx: ExtensionCommandContext,
	start: () => void,
	after: () => void = () => {},
): Promise<void> {
	const turn = followRun(pi, ctx, start).then(() => {
		if (!scope.closed) after();
	});
	if (!ctx.hasUI || stepOf(ctx)) await turn;
}

/** Whether pi would accept a message. Without a model or its key, pi refuses the message and only writes to its log. */
async function hasModel({ model, modelRegistry }: ExtensionCommandContext): Promise<boolean> {
	if (!model) return false;
	if (modelRegistry.hasConfiguredAuth(model)) return true;
	return (await modelRegistry.getProviderAuth(model.provider).catch(() => undefined)) !== undefined;
}

/** Asks the user whether to abandon the active workflow for another. */
async function makeRoom({ controller, conversation }: Workflows, ctx: ExtensionCommandContext): Promise<boolean> {
	const { active } = controller;
	if (!active) return true;
	const { run } = active;
	const answer = await askUser(ctx, {
		title: "Abandon the active workflow?",
		message: printable(`It is in the phase ${phaseName(run)}.\nIts task: ${taskForUser(run)}`),
		words: { no: "No, keep it", yes: "Yes, abandon it" },
		uncalled: true,
	});
	if (answer === "nobody")
		rejectCommand(
			ctx,
			`A workflow is already active, in the phase ${phaseName(run)}. End it with /cancel-workflow first.`,
		);
	if (answer !== "yes") return false;
	// The run may have moved while the dialog was open. Abandon only the run and phase that the user was asked about.
	const now = controller.active?.run;
	if (!now) return true;
	if (now.id !== run.id || now.step !== run.step) {
		rejectCommand(
			ctx,
			`The workflow moved to the phase ${phaseName(now)} meanwhile, so it continues and nothing was started.`,
		);
		return false;
	}
	const working = conversation.isWorking(ctx);
	controller.apply(ctx, { kind: "abandon", at: Date.now() });
	if (working) conversation.send(controller.held ?? active, cancelledType, abandonedText(run));
	return true;
}
