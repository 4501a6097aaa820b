// `workflow_step`, the tool with which the model moves through the phases. It maps calls to events and actions to answers, and makes no
// decisions. W1 the calls of one message run sequentially; W2 scripts cannot call it; W3 `details` holds the data of the answer's transcript row.
import type { AgentToolResult, ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { type Static, Type } from "typebox";
import { stepTool } from "../limits/index.ts";
import {
	currentPhase,
	isActive,
	type ModelDecision,
	type Position,
	phaseAt,
	type WorkflowAction,
	type WorkflowEvent,
	type WorkflowRun,
} from "../machine/index.ts";
import {
	askCancelText,
	cancelledText,
	doneText,
	movedText,
	statusText,
	workflowRefusalText,
} from "../prompts/index.ts";
import { modelDecision, visitMarkOf } from "./context-messages.ts";
import type { HeldRun } from "./entries.ts";
import type { RunController } from "./run-controller.ts";
import { drawCall, drawResult } from "./tool-row.ts";

const parameters = Type.Object({
	// A plain `enum`, because not every provider supports a union of constants.
	action: Type.Unsafe<"next" | "status" | "cancel" | "loop">({
		type: "string",
		enum: ["next", "status", "cancel", "loop"],
		description:
			"next: finish the phase and go to the following one. loop: restart the current workflow at its first phase. status: the current phase and its instructions. cancel: abandon the whole workflow; asks for confirmation.",
	}),
	summary: Type.Optional(
		Type.String({
			description: "With next and loop: what you did and found in this phase, in one to three sentences.",
		}),
	),
});

type Details = Record<string, unknown>;
type Answer = AgentToolResult<Details> & { isError?: boolean };

/** Registers the tool or hides it from the model: pi cannot unregister a tool. */
export function offerStepTool(pi: ExtensionAPI, controller: () => RunController, offered: boolean): void {
	const tool: ToolDefinition<typeof parameters, Details> = {
		name: stepTool,
		label: "Workflow step",
		description: "Moves the workflow of this session to its next phase, back to its start, or to its end.",
		parameters,
		// It affects only the workflow of this session.
		annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
		exposure: offered ? "model-only" : "hidden",
		executionMode: "sequential",
		execute: async (id, params, _signal, _onUpdate, ctx) => answer(controller(), id, params, ctx),
		renderCall: drawCall,
		renderResult: drawResult,
	};
	pi.registerTool(tool);
}

function answer(
	controller: RunController,
	id: string,
	params: Static<typeof parameters>,
	ctx: ExtensionContext,
): Answer {
	const { active } = controller;
	if (!active) return text(nothing[params.action], { active: false });
	const { action, summary } = params;
	const before = active.run.position;
	const actions = controller.apply(
		ctx,
		eventOf(action, summary?.trim(), modelDecision(ctx.sessionManager, active, id)),
	);
	const held = controller.held ?? active;
	return action === "status" ? status(held) : outcome(held, before, actions);
}

function eventOf(
	action: Static<typeof parameters>["action"],
	summary: string | undefined,
	decision: ModelDecision,
): WorkflowEvent {
	const at = Date.now();
	switch (action) {
		case "status":
			return { kind: "status" };
		case "cancel":
			return { kind: "cancel", at, decision };
		case "next":
		case "loop":
			return { kind: action, at, decision, ...(summary ? { summary } : {}) };
	}
}

const nothing = {
	status: "No workflow is active. The user starts one with /workflow.",
	next: "No workflow is active, so there is no phase to finish. The user starts a workflow with /workflow.",
	cancel: "No workflow is active: there is nothing to cancel.",
	loop: "No workflow is active: there is nothing to restart.",
} as const;

function status(held: HeldRun): Answer {
	const { run } = held;
	if (run.kind === "stale")
		return failure(workflowRefusalText({ kind: "stale", missing: run.missing }), { active: false, stale: true });
	const currentPath = run.position.map(({ workflowKey, phaseIndex }) => ({ workflowKey, phaseIndex }));
	return text(statusText(run), { active: true, workflowKey: run.workflowKey, currentPath, ...visitMarkOf(held) });
}

/** The answer for the last of the actions. */
function outcome(held: HeldRun, before: Position, actions: readonly WorkflowAction[]): Answer {
	const { run } = held;
	const action = actions.at(-1);
	switch (action?.kind) {
		case "moved":
			if (run.kind === "stale") break;
			return text(movedText(run, action.from, action.way), {
				...(action.way === "loop"
					? { looped: true, to: currentPhase(run).name }
					: { advanced: true, from: phaseAt(run.definitions, before).name, to: currentPhase(run).name }),
				...visitMarkOf(held),
			});
		case "ended":
			if (action.how === "cancelled")
				return text(cancelledText(run.task), { active: false, cancelled: true, resultType: "cancel" });
			if (run.kind === "stale") break;
			return text(doneText(run), { advanced: true, from: currentPhase(run).name, to: "DONE", resultType: "complete" });
		case "ask-cancel":
			return text(askCancelText(run.kind === "live" ? run : undefined), {
				active: true,
				cancelPending: true,
				resultType: "cancel",
				...visitMarkOf(held),
			});
		case "refused":
			return failure(workflowRefusalText(action.refusal), refusalDetails(run, action.refusal.kind));
		default:
	}
	throw new Error(`workflow_step cannot handle "${action?.kind}".`);
}

function refusalDetails(run: WorkflowRun, error: string): Details {
	return { active: isActive(run) && run.kind === "live", error };
}

function text(words: string, details: Details): Answer {
	return { content: [{ type: "text", text: words }], details };
}

function failure(words: string, details: Details): Answer {
	return { ...text(words, { ...details, resultType: "error" }), isError: true };
}
