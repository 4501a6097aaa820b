// The message with the text of a phase, for a context that lacks it.

import type { AgentBeforeSettleEvent, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { contentText, newestFirst, type Session } from "../../pi/index.ts";
import { redactSecrets } from "../../safety/index.ts";
import {
	type LiveWorkflowRun,
	readState,
	type StoredState,
	stateType,
	type WorkflowAction,
} from "../phase-machine/index.ts";
import {
	initialMessage,
	isLongTask,
	phaseFrame,
	questionReminderText,
	type UserWord,
	workflowReminderText,
} from "../prompts/index.ts";
import { contextType, hasReplacedText, knowsTask, reminderType, visitMarkOf } from "./context-messages.ts";
import { finishedVisits, type HeldRun } from "./entries.ts";
import { awaitsCut } from "./fresh-context.ts";

export interface RunMessage {
	readonly customType: string;
	readonly content: string;
	readonly display: boolean;
	readonly details: object;
}

/** Where the message goes. */
export interface Destination {
	/** The user's message that it accompanies. */
	readonly prompt?: string;
	/** That an earlier run is over. */
	readonly over?: string | undefined;
	/** The question that the user's message answers. */
	readonly answered?: string | undefined;
	/** The context that receives it has nothing of this session. */
	readonly fresh?: true;
}

/** The message of the current phase. It includes the task unless the user's message or the model's context already contains it. */
export function phaseMessage(
	session: ExtensionContext["sessionManager"],
	held: HeldRun,
	{ prompt = "", over, answered, fresh }: Destination = {},
): RunMessage & { readonly display: false } {
	const { run } = held;
	const starts = fresh || awaitsCut(session, held);
	const frame = run.kind === "live" ? frameFor(run) : "";
	const content = over === undefined ? frame : `${over}\n\n${frame}`;
	return { customType: contextType, content, display: false, details: visitMarkOf(held) };

	function frameFor(live: LiveWorkflowRun): string {
		if (prompt.includes(initialMessage(live))) return phaseFrame({ run: live, known: "start", visits: [] });
		const known = isLongTask(live.task) && !starts && knowsTask(session, live) ? "task" : "nothing";
		const visits = finishedVisits(session, live);
		const replaces = !starts && hasReplacedText(session, held);
		return phaseFrame({ run: live, known, visits, words: userWords(session, live), answered, replaces });
	}
}

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
	return redactSecrets(lastAnswer(event)?.errorMessage || "the provider reported an error");
}

function lastAnswer({ context }: AgentBeforeSettleEvent) {
	const last = context.contextMessages.findLast((message) => message.role === "assistant");
	return last?.role === "assistant" ? last : undefined;
}

/** The user's messages since the run began, oldest first, without its first message; each with the model's question that it answers. */
function userWords(session: Session, run: LiveWorkflowRun): UserWord[] {
	const first = initialMessage(run);
	const words: UserWord[] = [];
	let question: string | undefined;
	let open = false;
	for (const entry of entriesOfRun(session, run.id)) {
		const state = storedStateIn(entry);
		if (state !== undefined) {
			// The user's message closes the question before pi stores the message itself; a change of phase drops the question.
			open = state.asks !== undefined;
			question = state.asks ?? (state.left === undefined ? question : undefined);
		}
		// The user resumed without an answer.
		if (!open && entry.type === "custom_message" && entry.customType === reminderType) question = undefined;
		const text = userText(entry);
		if (text === "" || text.includes(first)) continue;
		words.push({ question, text });
		question = undefined;
	}
	return words;
}

/** The text of the model's last message of the current visit; `undefined`: none. */
export function lastWords(session: Session): string | undefined {
	for (const entry of newestFirst(session)) {
		const state = storedStateIn(entry);
		if (state?.left !== undefined || state?.note === "begun") return undefined;
		if (entry.type === "message" && entry.message.role === "assistant")
			return contentText(entry.message.content).trim() || undefined;
	}
	return undefined;
}

/** The entries of the branch from the beginning of the run, oldest first. */
function entriesOfRun(session: Session, runId: string): SessionEntry[] {
	const entries: SessionEntry[] = [];
	for (const entry of newestFirst(session)) {
		const state = storedStateIn(entry);
		if (state !== undefined && state.taskId !== runId) break;
		entries.push(entry);
		if (state?.note === "begun") break;
	}
	return entries.reverse();
}

function storedStateIn(entry: SessionEntry): StoredState | undefined {
	if (entry.type !== "custom" || entry.customType !== stateType) return undefined;
	const read = readState(entry.data);
	return read.kind === "state" ? read.state : undefined;
}

function userText(entry: SessionEntry): string {
	return entry.type === "message" && entry.message.role === "user" ? contentText(entry.message.content).trim() : "";
}
