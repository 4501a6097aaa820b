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
	type Position,
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
	pendingMessageText,
	type StepAction,
	secondStepText,
	statusText,
	stepActions,
	stepToolTexts,
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
	const refused = questionProblem(params, ctx);
	if (refused !== undefined) return failure(refused, refusalDetails(active.run, "not-asked"));
	const decision = modelDecision(ctx.sessionManager, active, id);
	const event = eventOf(params, decision);
	const closed = await controller.closedBy(ctx, event, signal);
	if (closed) return failure(gateText(active.run, closed), refusalDetails(active.run, "gate"));
	const done = controller.apply(ctx, event);
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
	if (last?.kind === "moved" && run.kind === "live")
		controller.lastStep = {
			message: decision.message,
			did: params.action,
			from: phaseAt(run.definitions, last.from).name,
		};
	if (last?.kind === "moved" || last?.kind === "question" || last?.kind === "ended")
		controller.stepMade(id, params.action);
	return outcome(held, {
		before: active.run.position,
		done,
		summary: "summary" in event ? event.summary : undefined,
		session: ctx.sessionManager,
	});
}

/** Why a question cannot be asked now. */
function questionProblem({ action, question = "" }: Parameters, ctx: ExtensionContext): string | undefined {
	if (action !== "ask") return undefined;
	if (question.trim() === "") return noQuestionText;
	return ctx.hasPendingMessages() ? pendingMessageText : undefined;
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

interface Step {
	readonly before: Position;
	readonly done: readonly WorkflowAction[];
	readonly summary: string | undefined;
	readonly session: ExtensionContext["sessionManager"];
}

/** The answer for the last of the actions. */
function outcome(held: HeldRun, { before, done, summary, session }: Step): StepResult {
	const { run } = held;
	const action = done.at(-1);
	switch (action?.kind) {
		case "moved":
			if (run.kind === "stale") break;
			return stepText(movedText(run, action.from, action.way, summary || undefined), {
				...(action.way === "loop"
					? { looped: true, to: currentPhase(run).name }
					: { advanced: true, from: phaseAt(run.definitions, before).name, to: currentPhase(run).name }),
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

function endAnswer(held: HeldRun, how: "done" | "cancelled", session: Step["session"]): StepResult {
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
