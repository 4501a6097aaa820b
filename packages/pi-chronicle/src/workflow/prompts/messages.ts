// Short texts about a run: first message, reminders, tool refusals, end of the run, session name.

import { didYouMean, thereAre } from "@pi-chronicle/core/definition";
import { shortTask } from "../../pi/index.ts";
import type { WorkflowDefinition } from "../definitions/index.ts";
import { changesAreMeant, copyText, stepTool } from "../limits/index.ts";
import {
	currentPhase,
	type LiveWorkflowRun,
	laterPhase,
	type PauseCause,
	rootOf,
	type WorkflowRefusal,
	type WorkflowRun,
	waitsForUser,
} from "../phase-machine/index.ts";
import { endOfPhase } from "./phase.ts";
import { noticeMark, phaseTitle } from "./place.ts";
import { expand, expandFirst, variablesOf } from "./template.ts";

/** The first words of a reminder, so that the model does not take it for the user's answer. */
const reminderMark = "[Automatic reminder from pi-chronicle, not from the user]";

/** The user's first message of a run. */
export function initialMessage(run: LiveWorkflowRun): string {
	return expandFirst(rootOf(run).initialMessage, run);
}

/** The reminder for a model that stopped before the end of the run. The built-in text does not repeat the instructions. */
export function workflowReminderText(run: LiveWorkflowRun): string {
	const { notDoneReminder, name } = rootOf(run);
	if (notDoneReminder !== undefined) return `${reminderMark} ${expand(notDoneReminder, variablesOf(run))}`;
	return `${reminderMark} The workflow "${name}" is not finished: its phase ${phaseTitle(run)} is still open. Continue with its instructions. ${endOfPhase(run)} If only the user can help, call it with action "ask" and your question.`;
}

/** The reminder for a model that ended its turn with a question without asking it through the tool. */
export function questionReminderText(run: LiveWorkflowRun): string {
	return `${reminderMark} You ended your turn with a question, and nobody has answered it. If only the user can, call ${stepTool} with action "ask" and the question: the workflow then waits. If the phase ${phaseTitle(run)} is finished, call it with action "next". Otherwise go on with the phase.`;
}

/** A warning to a model that makes no progress. */
export function progressReminderText(text: string): string {
	return `${reminderMark} ${text}`;
}

/** The message to the model after the user resumed the run. `unanswered`: without answering the model's question. */
export function resumeText(run: LiveWorkflowRun, unanswered = false): string {
	const answer = unanswered ? " without answering your question: decide yourself, and say what you assumed" : "";
	return `${reminderMark} The user resumed the workflow "${rootOf(run).name}"${answer}. Continue with its phase ${phaseTitle(run)}. ${endOfPhase(run)}`;
}

/** The message to the model after the user cancelled the run or ended its last phase. */
export function abandonedText(run: WorkflowRun, way: "next" | "skip" = "next"): string {
	const name = run.kind === "live" ? rootOf(run).name : run.workflowKey;
	const what =
		run.status.kind === "done"
			? `${way === "skip" ? "skipped" : "ended"} the last phase of the workflow "${name}", which is over`
			: `cancelled the workflow "${name}"`;
	return `${noticeMark} The user has ${what}. Its instructions and limits no longer apply. Do not work on it any more; the user's messages decide what is next.`;
}

/** The reason why the current phase refuses a tool. */
export function blockReason(run: LiveWorkflowRun, tool: string): string {
	const { blockReasonTemplate } = rootOf(run);
	if (blockReasonTemplate !== undefined) return expand(blockReasonTemplate, variablesOf(run, tool));
	return `The tool "${tool}" may not do this in the phase ${phaseTitle(run)}.`;
}

/** Advice after a refusal. Shorter if the workflow has its own `blockReasonTemplate`. */
export function blockAdvice(run: LiveWorkflowRun): string {
	const keep = "Do only what this phase allows.";
	if (rootOf(run).blockReasonTemplate !== undefined) return keep;
	return [keep, copyText(currentPhase(run).tools), changesText(run), endOfPhase(run)]
		.filter((text) => text !== "")
		.join(" ");
}

/** Which later phase may change files if the model can reach it, because the user's permission does not lift the limits of this one. */
function changesText(run: LiveWorkflowRun): string {
	if (changesAreMeant(currentPhase(run).tools)) return "";
	const later = laterPhase(run, ({ tools }) => changesAreMeant(tools));
	const where = later === undefined ? "" : `; the phase ${later.name} may change files`;
	return `Even the user's permission does not lift this limit${waitsForUser(run) ? "" : where}.`;
}

/** The reason why every tool is refused while the definition of a run is missing. */
export function staleReason(missing: string): string {
	return `This session is in a workflow whose definition "${missing}" cannot be found, so its limits are unknown. The user must restore it and enter /workflow reload, or enter /cancel-workflow.`;
}

/** Why a run is paused, and how to resume it. */
export function pauseLine({ by, why }: { readonly by: PauseCause; readonly why?: string | undefined }): string {
	const what = by === "error" ? "The workflow is paused after an error" : "The workflow is paused";
	return `⏸ ${what}${why === undefined ? "" : `: ${why}`}. Your next message resumes it, and so does /workflow resume.`;
}

/** The model's question, for the user. */
export function askLine(question: string): string {
	return `✋ The workflow waits for your answer:\n${question}`;
}

/** How the user answers. `session`: the session's file, for a pi without a screen. */
export function answerLine(session?: string): string {
	const how = session === undefined ? "" : `: pi -p --session ${session} "<answer>"`;
	return `Your next message is the answer and continues the workflow${how}`;
}

/** Reported when the user's message continues a run. */
export const spokenLine = "The workflow continues with your message.";

/** Why a child session may not use a tool: the limits of the phase `phase` that its parent was in. */
export function inheritedReason(phase: string, tool: string): string {
	return `The workflow that started this session is in the phase "${phase}", which does not allow this use of \`${tool}\`.`;
}

export const inheritedAdvice = "Do what this phase allows, and report in your answer what remains to be done.";

/** How to continue from a phase that the user ends. */
export const personLine = "You end this phase: /workflow next, or /workflow back.";

/** The text shown at the end of a run. */
export function endText(run: WorkflowRun, how: "done" | "cancelled"): string {
	if (run.kind === "stale") return `Workflow "${run.workflowKey}" cancelled. ${taskLine(run)}`;
	const { completionMessage, name, entries } = rootOf(run);
	if (how === "cancelled") return `Workflow "${name}" cancelled in phase ${phaseTitle(run)}. ${taskLine(run)}`;
	if (completionMessage !== undefined) return expand(completionMessage, variablesOf(run, stepTool, taskForUser(run)));
	return `Workflow "${name}" is DONE. ${taskLine(run)}, phases: ${entries.length}`;
}

function taskLine(run: WorkflowRun): string {
	return `Task: ${taskForUser(run)}`;
}

/** The task of a run in a message to the user. */
export function taskForUser({ task }: WorkflowRun): string {
	return shortTask(task, "the message that started it has all of it");
}

/** The session name of a run: the prefix, then the task on one line, truncated to the workflow's maximum length. */
export function sessionName({ sessionNamePrefix, sessionNameMaxLength }: WorkflowDefinition, task: string): string {
	const characters = [...task.replace(/\s+/g, " ").trim()];
	const shown = characters.slice(0, sessionNameMaxLength).join("");
	return sessionNamePrefix + shown + (characters.length > sessionNameMaxLength ? "…" : "");
}

/** Why an event was refused, and what to do instead. For both the model and the user. */
export function workflowRefusalText(refusal: WorkflowRefusal): string {
	switch (refusal.kind) {
		case "ended":
			return "This workflow is over.";
		case "stale":
			return `The definition of the workflow "${refusal.missing}" cannot be found, so nothing can be changed. Restore it and use /workflow reload, or end the run with /cancel-workflow.`;
		case "paused":
			return "The workflow is paused: its phase does not change until the user sends a message or enters /workflow resume. Tell the user, and stop.";
		case "not-paused":
			return "The workflow is not paused.";
		case "already-paused":
			return "The workflow is already paused; /workflow resume continues it.";
		case "asked":
			return "You have asked the user, and the answer has not arrived: nothing was changed. Stop; the user's next message is the answer.";
		case "earlier-visit":
			return `This was decided in an earlier visit; read the phase first. Nothing was changed: the workflow is in the phase ${refusal.phase}, and action "status" shows its current instructions.`;
		case "person-decides":
			return refusal.wanted === "next"
				? `Only the user ends the phase ${refusal.phase}, with /workflow next. Tell the user what is ready for them to decide, and stop.`
				: `The phase ${refusal.phase} waits for the user, so only the user can cancel the workflow now, with /cancel-workflow. Tell the user why you want to, and stop.`;
		case "not-loopable":
			return `"${refusal.scope}" cannot be restarted: looping is switched off in it. Use action "next" to continue.`;
		case "loops-used-up":
			return `"${refusal.scope}" can be restarted at most ${refusal.max === 1 ? "once" : `${refusal.max} times`}, and that limit is reached. Use action "next" to continue.`;
		case "at-start":
			return "This is the first phase; no phase precedes it.";
		case "no-earlier-phase":
			return `No earlier phase is called "${refusal.name}".${didYouMean(refusal.name, refusal.names)} ${thereAre(refusal.names, "There is none before this one.")}`;
		case "gone":
			return `The current definition no longer has the ${refusal.what} "${refusal.id}", which the run is in. The run keeps the definition that it was started with.`;
	}
}

/** The name of the current phase; its id or `unknown` if the definition is missing. */
export function phaseName(run: WorkflowRun): string {
	return run.kind === "live" ? currentPhase(run).name : (run.phaseId ?? "unknown");
}
