// `workflow_step`, the tool with which the model moves through the phases. It maps calls to events and actions to answers, and makes no
// decisions. The calls of one message run sequentially; scripts cannot call it; `details` holds the data of the answer's transcript row.
import type { AgentToolResult, ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { type Static, Type } from "typebox";
import { redactSecrets } from "../../safety/index.ts";
import { stepTool } from "../limits/index.ts";
import {
	currentPhase,
	isActive,
	type ModelDecision,
	phaseAt,
	type WorkflowAction,
	type WorkflowEvent,
	type WorkflowRun,
} from "../phase-machine/index.ts";
import {
	askCancelText,
	askedText,
	cancelledText,
	doneText,
	gateText,
	movedText,
	noQuestionText,
	noRunText,
	passedGateText,
	pendingMessageText,
	phaseName,
	type StepAction,
	secondStepText,
	statusText,
	stepActions,
	stepToolTexts,
	unreadFailureText,
	workflowRefusalText,
} from "../prompts/index.ts";
import { modelDecision, visitMarkOf } from "./context-messages.ts";
import { finishedVisits, type HeldRun } from "./entries.ts";
import type { RunController } from "./run-controller.ts";
import { drawCall, drawResult } from "./tool-row.ts";

const parameters = Type.Object({
	// A plain `enum`, because not every provider supports a union of constants.
	action: Type.Unsafe<StepAction>({
		type: "string",
		enum: [...stepActions],
		description: stepToolTexts.action,
	}),
	summary: Type.Optional(Type.String({ description: stepToolTexts.summary })),
	question: Type.Optional(Type.String({ description: stepToolTexts.question })),
});

type Parameters = Static<typeof parameters>;
type Details = Record<string, unknown>;
type StepResult = AgentToolResult<Details> & { isError?: boolean };

/** Registers the tool or hides it from the model: pi cannot unregister a tool. */
export function offerStepTool(pi: ExtensionAPI, controller: () => RunController, offered: boolean): void {
	const tool: ToolDefinition<typeof parameters, Details> = {
		name: stepTool,
		label: "Workflow step",
		description: stepToolTexts.description,
		parameters,
		// It affects only the workflow of this session.
		annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
		exposure: offered ? "model-only" : "hidden",
		executionMode: "sequential",
		execute: (id, params, signal, _onUpdate, ctx) => answer(controller(), id, params, ctx, signal),
		renderCall: drawCall,
		renderResult: drawResult,
	};
	pi.registerTool(tool);
}

async function answer(
	controller: RunController,
	id: string,
	params: Parameters,
	ctx: ExtensionContext,
	signal: AbortSignal | undefined,
): Promise<StepResult> {
	const { active } = controller;
	if (!active) {
		const words = noRunText(params.action, controller.held?.run);
		return params.action === "status"
			? stepText(words, { active: false })
			: failure(words, { active: false, error: "ended" });
	}
	const decision = modelDecision(ctx.sessionManager, active, id);
	const refused = refusedBefore(controller, active, params, decision, ctx);
	if (refused) return refused;
	const event = eventOf(params, decision);
	const end = await controller.endOfGate(ctx, event, signal);
	if (end?.kind === "failed") return failure(gateText(active.run, end), refusalDetails(active.run, "gate"));
	const passed = end && event.kind === "next" ? { ...event, gate: passedGateText(end) } : event;
	const done = controller.apply(ctx, passed);
	const held = controller.held ?? active;
	if (params.action === "status") return status(held);
	const { run } = held;
	const last = done.at(-1);
	const { lastStep } = controller;
	if (last?.kind === "refused" && last.refusal.kind === "earlier-visit" && lastStep?.message === decision.message)
		return failure(
			secondStepText(lastStep.did, lastStep.from, last.refusal.phase),
			refusalDetails(run, last.refusal.kind),
		);
	if (last?.kind === "moved" || last?.kind === "question" || last?.kind === "ended")
		controller.stepMade(id, { message: decision.message, did: params.action, from: phaseName(active.run) });
	return outcome(held, done, ctx.sessionManager);
}

/** The refusal of a step that no event comes from. */
function refusedBefore(
	{ failed, lastStep }: RunController,
	{ run }: HeldRun,
	{ action, question = "" }: Parameters,
	{ message }: ModelDecision,
	ctx: ExtensionContext,
): StepResult | undefined {
	if (action === "next" && failed.length > 0 && lastStep?.message !== message)
		return failure(unreadFailureText(failed), refusalDetails(run, "failed-call"));
	if (action !== "ask") return undefined;
	if (question.trim() === "") return failure(noQuestionText, refusalDetails(run, "not-asked"));
	return ctx.hasPendingMessages() ? failure(pendingMessageText, refusalDetails(run, "not-asked")) : undefined;
}

function eventOf({ action, summary: written, question = "" }: Parameters, decision: ModelDecision): WorkflowEvent {
	const at = Date.now();
	const summary = written && redactSecrets(written.trim());
	switch (action) {
		case "status":
			return { kind: "status" };
		case "cancel":
			return { kind: "cancel", at, decision };
		case "ask":
			return { kind: "ask", decision, question: redactSecrets(question.trim()) };
		case "next":
		case "loop":
			return { kind: action, at, decision, ...(summary ? { summary } : {}) };
	}
}

function status(held: HeldRun): StepResult {
	const { run } = held;
	if (run.kind === "stale")
		return failure(workflowRefusalText({ kind: "stale", missing: run.missing }), { active: false, stale: true });
	const currentPath = run.position.map(({ workflowKey, phaseIndex }) => ({ workflowKey, phaseIndex }));
	return stepText(statusText(run), { active: true, workflowKey: run.workflowKey, currentPath, ...visitMarkOf(held) });
}

/** The answer for the last of the actions. */
function outcome(
	held: HeldRun,
	done: readonly WorkflowAction[],
	session: ExtensionContext["sessionManager"],
): StepResult {
	const { run } = held;
	const action = done.at(-1);
	switch (action?.kind) {
		case "moved":
			if (run.kind === "stale") break;
			return stepText(movedText(run, action.from, done.find((one) => one.kind === "persist")?.left ?? action), {
				...(action.way === "loop"
					? { looped: true, to: currentPhase(run).name }
					: { advanced: true, from: phaseAt(run.definitions, action.from).name, to: currentPhase(run).name }),
				...visitMarkOf(held),
			});
		case "question":
			if (run.kind === "stale") break;
			// The turn ends here, unless the message has other calls.
			return { ...stepText(askedText(run), { active: true, asked: true, ...visitMarkOf(held) }), terminate: true };
		case "ended":
			return endAnswer(held, action.how, session);
		case "ask-cancel":
			return stepText(askCancelText(run.kind === "live" ? run : undefined), {
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

function endAnswer(held: HeldRun, how: "done" | "cancelled", session: ExtensionContext["sessionManager"]): StepResult {
	const { run } = held;
	if (how === "cancelled" || run.kind === "stale")
		return stepText(cancelledText(run), {
			active: false,
			cancelled: true,
			resultType: "cancel",
			...visitMarkOf(held),
		});
	return stepText(doneText(run, finishedVisits(session, run)), {
		advanced: true,
		from: currentPhase(run).name,
		to: "DONE",
		resultType: "complete",
		...visitMarkOf(held),
	});
}

function refusalDetails(run: WorkflowRun, error: string): Details {
	return { active: isActive(run) && run.kind === "live", error };
}

function stepText(words: string, details: Details): StepResult {
	return { content: [{ type: "text", text: words }], details };
}

function failure(words: string, details: Details): StepResult {
	return { ...stepText(words, { ...details, resultType: "error" }), isError: true };
}
