// What the user said during a run, derived from the session: the model reads it again when its context was replaced.
import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { contentText, newestFirst } from "../../pi/index.ts";
import { type LiveWorkflowRun, readState, type StoredState } from "../machine/index.ts";
import { initialMessage, type UserWord } from "../prompts/index.ts";
import { reminderType } from "./context-messages.ts";
import { stateType } from "./entries.ts";

type Session = ExtensionContext["sessionManager"];

/** The user's messages since the run began, oldest first, without its first message; each with the model's question that it answers. */
export function userWords(session: Session, run: LiveWorkflowRun): UserWord[] {
	const first = initialMessage(run);
	const words: UserWord[] = [];
	let question: string | undefined;
	let open = false;
	for (const entry of entriesOf(session, run.id)) {
		const state = stateIn(entry);
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

/** The entries of the branch from the beginning of the run, oldest first. */
function entriesOf(session: Session, runId: string): SessionEntry[] {
	const entries: SessionEntry[] = [];
	for (const entry of newestFirst(session)) {
		const state = stateIn(entry);
		if (state !== undefined && state.taskId !== runId) break;
		entries.push(entry);
		if (state?.note === "begun") break;
	}
	return entries.reverse();
}

function stateIn(entry: SessionEntry): StoredState | undefined {
	if (entry.type !== "custom" || entry.customType !== stateType) return undefined;
	const read = readState(entry.data);
	return read.kind === "state" ? read.state : undefined;
}

function userText(entry: SessionEntry): string {
	return entry.type === "message" && entry.message.role === "user" ? contentText(entry.message.content).trim() : "";
}
