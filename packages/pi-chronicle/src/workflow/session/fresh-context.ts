// A phase with `context: fresh`: its model knows nothing but the phase's own text, with the task and the summaries of the earlier phases.
// The end of the visit's first message cuts off everything before that text, as a compaction without a summary of its own. Until
// then, requests leave it out. Nothing is cut once the visit has made a second message: its own work stays.
import type { TurnEndEvent } from "@earendil-works/pi-coding-agent";
import { newestFirst, type Session } from "../../pi/index.ts";
import { currentPhase, stateType } from "../phase-machine/index.ts";
import {
	type ContextDraft,
	type ContextMessage,
	contextType,
	type VisitMark,
	visitMarkOf,
} from "./context-messages.ts";
import type { HeldRun } from "./entries.ts";

const summary =
	"[Automatic message from pi-chronicle] The workflow continues in a fresh context. The text of its current phase follows; the project's files show what it does not mention.";

/** Whether the current phase starts with a fresh context, and the model's context still has what came before. */
export function awaitsCut(session: Session, held: HeldRun): boolean {
	const { run } = held;
	if (run.kind === "stale" || run.status.kind !== "running" || currentPhase(run).context !== "fresh") return false;
	let answers = 0;
	for (const entry of newestFirst(session)) {
		if (entry.type === "compaction" && isCutOf(entry.details, run)) return false;
		if (entry.type === "message" && entry.message.role === "assistant" && hasAnswered(entry.message)) answers++;
		if (answers > 1) return false;
		if (entry.type === "custom" && entry.customType === stateType && isFirstState(entry.data)) return true;
	}
	return false;

	function isFirstState(data: unknown): boolean {
		const { left, note } = data as { readonly left?: unknown; readonly note?: unknown };
		return left !== undefined || note === "begun";
	}
}

function hasAnswered({ stopReason }: { readonly stopReason: string }): boolean {
	return stopReason !== "error" && stopReason !== "aborted";
}

function isCutOf(details: unknown, { id, step }: { readonly id: string; readonly step: number }): boolean {
	const cut = (details ?? {}) as { readonly taskId?: unknown; readonly step?: unknown };
	return cut.taskId === id && cut.step === step;
}

/** The messages of a request without what comes before the phase's text; `undefined`: there is nothing to leave out. */
export function freshMessages(
	messages: readonly ContextMessage[],
	session: Session,
	held: HeldRun,
): ContextMessage[] | undefined {
	if (!awaitsCut(session, held)) return undefined;
	const start = freshStart(messages, visitMarkOf(held));
	const first = messages[start];
	if (start < 1 || first === undefined) return undefined;
	// The same as after the cut, so that the provider's cache holds.
	return [
		{ role: "compactionSummary", summary, tokensBefore: 0, timestamp: first.timestamp },
		...messages.slice(start),
	];
}

/** The entries that cut the context at the end of a message; empty if there is nothing to cut. `phaseText`: the message of the current phase. */
export function cutEntries(
	{ context, outcome }: TurnEndEvent,
	session: Session,
	held: HeldRun,
	phaseText: (session: Session, held: HeldRun) => Omit<Extract<ContextDraft, { type: "custom_message" }>, "type">,
): TurnEndEvent["entries"] {
	if (outcome !== "completed" || !awaitsCut(session, held)) return [];
	const shown = context.contextEntries.flatMap(({ sourceEntry, messages: [message] }) =>
		message === undefined || message.role === "system" ? [] : [{ id: sourceEntry.id, message }],
	);
	const messages = shown.map(({ message }) => message);
	const start = freshStart(messages, visitMarkOf(held));
	if (start === 0) return [];
	const { id, step } = held.run;
	const cut = { type: "compaction" as const, summary, details: { taskId: id, step } };
	const kept = shown[start];
	if (kept) return [{ ...cut, firstKeptEntryId: kept.id }];
	// The text is in the answer of `workflow_step`, or has not arrived yet.
	return [
		{ ...cut, firstKeptEntryId: null },
		{ type: "custom_message", ...phaseText(session, held) },
	];
}

/** The index of the first message that belongs to the visit: its text, or the user's messages directly before it; -1 without its text. */
function freshStart(messages: readonly ContextMessage[], { taskId, step }: VisitMark): number {
	let start = messages.findIndex(
		(message) =>
			message.role === "custom" && message.customType === contextType && isCutOf(message.details, { id: taskId, step }),
	);
	while (start > 0 && isSent(messages[start - 1])) start--;
	return start;
}

/** Whether a message was sent to the model, rather than written by it or a summary. */
function isSent(message: ContextMessage | undefined): boolean {
	return message?.role === "user" || message?.role === "custom";
}
