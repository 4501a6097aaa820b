// Answers of `workflow_step`. The first line states the outcome; for a normal step, the screen shows only that line.

import { failedBesideText } from "../../pi/index.ts";
import { stepTool } from "../limits/index.ts";
import {
	currentPhase,
	type EndedVisit,
	type ExitKind,
	type LiveWorkflowRun,
	type Position,
	phaseAt,
	rootOf,
	scopeOf,
	type WorkflowRun,
	waitsForUser,
} from "../phase-machine/index.ts";
import { taskForUser } from "./messages.ts";
import { endOfPhase, type FinishedVisit, phaseFrame, visitsText } from "./phase.ts";
import { countText, noticeMark, phaseTitle, roundOf } from "./place.ts";
import { breadcrumb, instructionsOf, nextName, taskAgain } from "./template.ts";

/** What the model can do with the tool. */
export const stepActions = ["next", "loop", "ask", "status", "cancel"] as const;
export type StepAction = (typeof stepActions)[number];

export const stepToolTexts = {
	description:
		"Moves this session's workflow, or asks the user. Calls of one message run at the same time; call this one last: those after next, loop or ask are refused.",
	action:
		"next: the phase is finished, go to the following one. loop: restart the current workflow at its first phase. ask: ask the user and wait for the answer. status: show the current phase and its instructions. cancel: abandon the whole workflow, after a confirmation.",
	summary: "With next and loop: what you did and found in this phase, in one to three sentences.",
	question: "With ask: everything the user needs to know to answer.",
} as const;

/** After a move: the outcome, the position, and the text of the new phase. The visit that ended is given. */
export function movedText(run: LiveWorkflowRun, from: Position, { way, summary, gate }: EndedVisit): string {
	const old = phaseAt(run.definitions, from).name;
	const { name } = currentPhase(run);
	return [
		`✓ ${verb(run, from, way)}: ${old} → ${phaseTitle(run)}`,
		`Previous: ${old} · Current: ${name} · Next: ${nextName(run)}`,
		...(gate === undefined ? [] : [gate]),
		"",
		phaseFrame({ run, known: "run", visits: [], reason: way === "loop" ? summary : undefined }),
	].join("\n");
}

/** The same after the user moved the run. */
export function movedByPersonText(run: LiveWorkflowRun, from: Position, way: ExitKind): string {
	const did = way === "next" ? "ended the phase" : "moved the workflow to another phase";
	return `${noticeMark} The user has ${did}.\n\n${movedText(run, from, { way })}`;
}

/** After the user has restored files. `of`: a clause of time. */
export function restoredText(of: string): string {
	return `${noticeMark} The user has set the project's files back to how they were ${of}: read again what you need of them.`;
}

/** `command`: what ran; `how`: a verb phrase; `output`: its end, redacted. */
export type GateEnd =
	| { readonly kind: "passed"; readonly command: string; readonly output: string }
	| { readonly kind: "failed"; readonly command: string; readonly how: string; readonly output: string };

/** Characters that the next phase gets of a gate's output. */
const shownOutput = 1_000;

/** How a gate succeeded, for the next phase. */
export function passedGateText({ command, output }: GateEnd): string {
	const end = output.length > shownOutput ? `…${output.slice(-shownOutput)}` : output;
	return `Its gate succeeded (exit code 0): \`${command}\`. ${outputText(end)}`;
}

/** After a step that the gate of the phase has stopped. */
export function gateText(run: WorkflowRun, { command, how, output }: Extract<GateEnd, { kind: "failed" }>): string {
	const phase = run.kind === "live" ? `"${currentPhase(run).name}"` : "The phase";
	return `✗ The gate of ${phase} ${how}, so the phase is not finished: \`${command}\`\nRepair what it reports, then call ${stepTool} with action "next" again. ${outputText(output)}`;
}

function outputText(end: string): string {
	return end === "" ? "It printed nothing." : `The end of its output:\n${end}`;
}

/** After the last phase. */
export function doneText(run: LiveWorkflowRun, visits: readonly FinishedVisit[]): string {
	const reported = visitsText(visits);
	const { name } = currentPhase(run);
	return [
		`✓ Advanced: ${name} → DONE`,
		`Previous: ${name} · Current: DONE`,
		"",
		`All phases of "${rootOf(run).name}" are complete. Its instructions and limits no longer apply. Now tell the user the result, once and briefly: what was done and found, and what is left. They have not read your summaries.`,
		...(reported === undefined ? [] : ["", reported]),
	].join("\n");
}

export function askCancelText(run: LiveWorkflowRun | undefined): string {
	const name = run ? `"${rootOf(run).name}"` : "this workflow";
	return `Really cancel ${name}?\nUnfinished work stays unfinished, and this cannot be undone. If so, call workflow_step with action "cancel" again in your next message; anything else keeps the workflow running.`;
}

/** After a question to the user. */
export function askedText(run: LiveWorkflowRun): string {
	return `✋ Asked. The workflow waits in ${phaseTitle(run)}.\nThe user's next message is the answer: continue with this phase when you have it. Until then, call nothing.`;
}

export const noQuestionText = 'Action "ask" needs `question`: what the user should answer.';

/** If a message of the user is already on its way, the model reads it before it asks. */
export const pendingMessageText =
	'A message to you is already waiting and follows now, so the question was not asked. If the message does not answer it, call action "ask" again.';

/** Without an active run. `last`: the session's last run. */
export function noRunText(action: StepAction, last: WorkflowRun | undefined): string {
	const over = last?.kind === "live" ? ` ("${rootOf(last).name}" is over)` : "";
	const nothing = {
		status: "",
		next: ", so there is no phase to finish",
		loop: ", so there is nothing to restart",
		ask: ", so ask the user in your answer",
		cancel: ", so there is nothing to cancel",
	}[action];
	return `No workflow is active${over}${nothing}. The user starts one with /workflow.`;
}

/** For a call of another tool after a step of the same message. */
export function afterStepText(did: StepAction): string {
	return `This call follows ${stepTool} ("${did}") in the same message, so it was not run: it was written before you read the result of that step.`;
}

/** For a step beside calls of the same message that failed. */
export function unreadFailureText(tools: readonly string[]): string {
	return `The phase is not finished: ${failedBesideText(tools)} Call ${stepTool} again, alone.`;
}

/** For a second step of a message. `did`: that step, which left the phase `from`. */
export function secondStepText(did: StepAction, from: string, phase: string): string {
	return `Only the first step of a message is made: "${did}" (${from} → ${phase}). Its result above has the instructions of ${phase}; read the phase first. This call changed nothing.`;
}

export function cancelledText(run: WorkflowRun): string {
	return `The workflow is cancelled. Its task was: "${taskForUser(run)}". Its instructions and limits no longer apply.`;
}

/** The full status of a run. */
export function statusText(run: LiveWorkflowRun): string {
	const root = rootOf(run);
	const { profiles } = currentPhase(run);
	const nested = run.position.length > 1;
	const last = run.position.at(-1);
	const count = last ? countText(run.definitions, last) : "";
	const paused =
		run.status.kind === "paused" ? ["Paused: only the user can resume it, with a message or /workflow resume."] : [];
	return [
		`Workflow: ${root.name} (${root.key})`,
		`Task: ${taskAgain(run.task)}`,
		...(nested ? [`Path: ${breadcrumb(run, run.position)}`] : []),
		`Phase: ${phaseTitle(run)} ${count}${nested ? `, step ${run.step}` : ""}`,
		...(waitsForUser(run) ? [endOfPhase(run)] : []),
		...paused,
		...(run.question === undefined ? [] : ["You have asked the user and wait for the answer:", run.question]),
		`Started: ${new Date(run.startedAt).toISOString()}`,
		"",
		instructionsOf(run),
		...(profiles.length > 0 ? ["", `Profiles: ${profiles.join(", ")}`] : []),
	].join("\n");
}

/** Describes a move, naming every workflow that it left or entered. */
function verb(run: LiveWorkflowRun, from: Position, way: ExitKind): string {
	if (way === "loop") return `Started "${roundOf(run)?.scope ?? scopeOf(run).name}" again`;
	if (way === "back") return "Went back";
	const shared = sharedScopes(from, run.position);
	const left = breadcrumb(run, from.slice(shared));
	const entered = breadcrumb(run, run.position.slice(shared));
	if (left && entered) return `Left ${left}, entered ${entered}`;
	if (entered) return `Entered ${entered}`;
	if (left) return `Left ${left}, back in ${breadcrumb(run, run.position)}`;
	return way === "skip" ? "Skipped" : "Advanced";
}

/** How many scopes two positions have in common: the same workflow, reached through the same entries. */
function sharedScopes(a: Position, b: Position): number {
	let shared = 0;
	while (shared < a.length && shared < b.length) {
		if (a[shared]?.workflowKey !== b[shared]?.workflowKey) break;
		shared++;
		if (a[shared - 1]?.phaseIndex !== b[shared - 1]?.phaseIndex) break;
	}
	return shared;
}
