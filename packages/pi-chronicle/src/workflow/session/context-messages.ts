// Workflow texts in the model's context: detects whether the text of the current phase is present, and removes the texts of ended runs.
// Nothing is cached. Every answer is derived from the session, so it stays correct after a reload, a move in the tree, or a compaction.

import type { ContextEvent, SessionEntry, TurnEndEvent } from "@earendil-works/pi-coding-agent";
import { contentText, newestFirst, type Session } from "../../pi/index.ts";
import { stepTool } from "../limits/index.ts";
import { isActive, type ModelDecision, stateType, type WorkflowRun } from "../phase-machine/index.ts";
import type { HeldRun } from "./entries.ts";

export const contextType = "workflow:context";
export const reminderType = "workflow:reminder";
/** The message that the user has ended a run. It stays in the context, because it is not an instruction of that run. */
export const cancelledType = "workflow:cancelled";

/** Identifies the phase visit that a text belongs to: the run, its step, and the definition that produced the text. */
export interface VisitMark {
	readonly taskId: string;
	readonly step: number;
	readonly hash: string;
}

export function visitMarkOf({ run, pinned }: HeldRun): VisitMark {
	return { taskId: run.id, step: run.step, hash: pinned?.hash ?? "" };
}

/** Whether the model's context contains the text of the current phase, and the task. */
export function hasPhaseText(session: Session, held: HeldRun): boolean {
	const mark = visitMarkOf(held);
	const removed = new Set<string>();
	for (const entry of inContext(session)) {
		if (entry.type === "context_edit" && entry.replacement === null) removed.add(entry.targetId);
		// The task precedes the phases, so a compaction may have removed only the task.
		if (carries(entry, mark)) return !removed.has(entry.id) && knowsTask(session, held.run);
		if (isEarlierState(entry, mark)) return false;
	}
	return false;
}

/** The entries of the model's context, newest first: those before a compaction as far as it has kept them. */
function* inContext(session: Session) {
	let keptFrom: string | undefined;
	for (const entry of newestFirst(session)) {
		if (entry.type === "compaction") keptFrom ??= entry.firstKeptEntryId;
		yield entry;
		if (keptFrom === entry.id) return;
	}
}

/** Whether the newest text of the run in the model's context is one of an earlier definition. */
export function hasReplacedText(session: Session, held: HeldRun): boolean {
	const { taskId, hash } = visitMarkOf(held);
	for (const entry of inContext(session)) {
		const mark = visitMarkIn(entry);
		if (mark?.taskId === taskId) return mark.hash !== hash;
	}
	return false;
}

/**
 * Which phase texts the model had read when it wrote the call `id`: those that precede the message with the call on the branch. If the
 * newest assistant message does not contain the call, the call was written elsewhere and counts as having read nothing.
 */
export function modelDecision(session: Session, held: HeldRun, id: string): ModelDecision {
	const now = visitMarkOf(held);
	let message = id;
	let keptFrom: string | undefined;
	for (const entry of untilCall(session, id)) {
		if (message === id) message = entry.id;
		// A text that a compaction removed was not read.
		if (entry.type === "compaction") keptFrom ??= entry.firstKeptEntryId ?? entry.id;
		// A queued text of an earlier visit may follow the text of the current one. Of two versions of one visit, the newer counts.
		const mark = visitMarkIn(entry);
		const isCurrent = mark?.taskId === now.taskId && mark.step === now.step;
		if (isCurrent) return { message, seen: mark.hash === now.hash ? now.step : undefined };
		if (keptFrom === entry.id || isEarlierState(entry, now)) break;
	}
	return { message, seen: undefined };
}

/**
 * Whether the model's context contains texts of the ended run, but not that it has ended: the user ended it while the model was not
 * working.
 */
export function owesEnd(session: Session, { id }: WorkflowRun): boolean {
	for (const entry of inContext(session)) {
		if (saysEnd(entry, id)) return false;
		if (visitMarkIn(entry)?.taskId === id) return true;
	}
	return false;
}

/** Whether an entry tells the model that the run `id` is over. */
function saysEnd(entry: SessionEntry, id: string): boolean {
	const details =
		entry.type === "custom_message" && entry.customType === cancelledType
			? entry.details
			: entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolName === stepTool
				? entry.message.details
				: undefined;
	const { taskId, resultType, cancelPending } = (details ?? {}) as Record<string, unknown>;
	if (taskId !== id) return false;
	return entry.type === "custom_message" || resultType === "complete" || (resultType === "cancel" && !cancelPending);
}

/** The newest assistant message, if it contains the call `id`, and the entries before it on the branch, newest first. */
function* untilCall(session: Session, id: string) {
	let found = false;
	for (const entry of newestFirst(session)) {
		if (!found && !isAnswerEntry(entry)) continue;
		if (!found && !hasCall(entry, id)) return;
		found = true;
		yield entry;
	}
}

function isAnswerEntry(entry: SessionEntry): boolean {
	return entry.type === "message" && entry.message.role === "assistant";
}

function hasCall(entry: SessionEntry, id: string): boolean {
	if (entry.type !== "message" || entry.message.role !== "assistant") return false;
	return entry.message.content.some((part) => part.type === "toolCall" && part.id === id);
}

/** Whether an entry is a state of an earlier visit. A visit begins with its state, so every older entry belongs to another visit. */
function isEarlierState(entry: SessionEntry, mark: VisitMark): boolean {
	return entry.type === "custom" && entry.customType === stateType && isBefore(entry.data, mark);
}

/** Whether the model's context contains the whole task of the run. */
export function knowsTask(session: Session, { task }: WorkflowRun): boolean {
	for (const entry of inContext(session)) if (textOfEntry(entry).includes(task)) return true;
	return false;
}

/** The text that the user or this package sent to the model in an entry. */
function textOfEntry(entry: SessionEntry): string {
	const content =
		entry.type === "custom_message"
			? entry.content
			: entry.type === "message" && entry.message.role === "user"
				? entry.message.content
				: "";
	return contentText(content);
}

/** Whether a compaction follows the entry `since`; with `null`, whether the branch has a compaction at all. */
export function hasCompaction(session: Session, since: string | null): boolean {
	for (const entry of newestFirst(session)) {
		if (entry.id === since) return false;
		if (entry.type === "compaction") return true;
	}
	return false;
}

function carries(entry: SessionEntry, { taskId, step, hash }: VisitMark): boolean {
	const mark = visitMarkIn(entry);
	return mark?.taskId === taskId && mark.step === step && mark.hash === hash;
}

/** The visit whose phase text an entry contains. */
function visitMarkIn(entry: SessionEntry): Partial<VisitMark> | undefined {
	if (entry.type === "custom_message") return entry.customType === contextType ? marks(entry.details) : undefined;
	if (entry.type !== "message" || entry.message.role !== "toolResult" || entry.message.toolName !== stepTool)
		return undefined;
	return givesInstructions(entry.message.details) ? marks(entry.message.details) : undefined;
}

function marks(details: unknown): Partial<VisitMark> {
	return (details ?? {}) as Partial<VisitMark>;
}

function isBefore(data: unknown, { taskId, step }: VisitMark): boolean {
	const state = (data ?? {}) as { taskId?: unknown; globalStepCount?: unknown };
	return state.taskId !== taskId || (typeof state.globalStepCount === "number" && state.globalStepCount < step);
}

/** Whether a result of `workflow_step` contains the instructions of a phase. Recognizes results of the reference package too. */
function givesInstructions(details: unknown): boolean {
	const { advanced, to, looped, active, workflowKey } = (details ?? {}) as Record<string, unknown>;
	return (advanced === true && to !== "DONE") || looped === true || (active === true && workflowKey !== undefined);
}

/** Whether a result asks the model for something that only applies while the run is active. */
function asks(details: unknown): boolean {
	return givesInstructions(details) || (details as { cancelPending?: unknown } | undefined)?.cancelPending === true;
}

/** Message types that only apply while their run is active. The last two belong to the reference package. */
const workflowTexts = new Set([contextType, reminderType, "workflow:countdown", "workflow:complete"]);

export type ContextMessage = ContextEvent["messages"][number];
export type ContextDraft = TurnEndEvent["entries"][number];

/** The replacement for a message of an ended run: `undefined` keeps the message, `null` removes it, a string replaces its content. */
function replacementOf(message: ContextMessage, run: WorkflowRun | undefined): string | null | undefined {
	const mine = (details: unknown) =>
		run !== undefined && isActive(run) && (details as { taskId?: unknown } | undefined)?.taskId === run.id;
	if (message.role === "custom")
		return workflowTexts.has(message.customType) && !mine(message.details) ? null : undefined;
	if (message.role !== "toolResult" || message.toolName !== stepTool) return undefined;
	if (!asks(message.details) || mine(message.details)) return undefined;
	const text = contentText(message.content);
	const line = text.slice(0, `${text}\n`.indexOf("\n"));
	return line === text ? undefined : line;
}

/** The edits that permanently remove the texts of all runs except the active `run` from the model's context. */
export function contextEdits(
	entries: TurnEndEvent["context"]["contextEntries"],
	run: WorkflowRun | undefined,
): ContextDraft[] {
	return entries.flatMap(({ sourceEntry, messages }): ContextDraft[] => {
		const [message] = messages;
		const replacement = message ? replacementOf(message, run) : undefined;
		if (replacement === undefined) return [];
		return [
			{
				type: "context_edit",
				targetId: sourceEntry.id,
				replacement: replacement === null ? null : { content: replacement },
			},
		];
	});
}

/** The same for one request, until the edits are written; `undefined` if there is nothing to remove. */
export function withoutEndedRuns(
	messages: readonly ContextMessage[],
	run: WorkflowRun | undefined,
): ContextMessage[] | undefined {
	let changed = false;
	const kept = messages.flatMap((message): ContextMessage[] => {
		const replacement = replacementOf(message, run);
		if (replacement === undefined) return [message];
		changed = true;
		if (replacement === null || message.role !== "toolResult") return [];
		return [{ ...message, content: [{ type: "text", text: replacement }] }];
	});
	return changed ? kept : undefined;
}
