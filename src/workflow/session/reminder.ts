// The reminder for a model that stopped before the end of a run, and what of its last message decides about it.
import type { AgentBeforeSettleEvent } from "@earendil-works/pi-coding-agent";
import { contentText } from "../../pi/index.ts";
import type { LiveWorkflowRun, WorkflowAction } from "../machine/index.ts";
import { questionReminderText, workflowReminderText } from "../prompts/index.ts";
import { reminderType } from "./context-messages.ts";
import type { RunMessage } from "./phase-message.ts";

/** The message of a reminder. Its `details` are those of its transcript row. */
export function reminderMessage(
	run: LiveWorkflowRun,
	{ about, count, of }: Extract<WorkflowAction, { kind: "remind" }>,
): RunMessage {
	return {
		customType: reminderType,
		content: about === "question" ? questionReminderText(run) : workflowReminderText(run),
		display: true,
		details: { taskId: run.id, about, count, of },
	};
}

/** The text of the model's last message. */
export function lastText(event: AgentBeforeSettleEvent): string {
	return contentText(lastAnswer(event)?.content ?? []);
}

/** The provider's error that ended the model's last message. */
export function errorOf(event: AgentBeforeSettleEvent): string {
	return lastAnswer(event)?.errorMessage || "the provider reported an error";
}

function lastAnswer({ context }: AgentBeforeSettleEvent) {
	const last = context.contextMessages.findLast((message) => message.role === "assistant");
	return last?.role === "assistant" ? last : undefined;
}
