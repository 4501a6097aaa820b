// The text that the model receives when a phase begins: once per visit, and again if a compaction removed it.
// `phaseFrame` builds every such text; it names only what works in this phase.
import { pathListText } from "@pi-chronicle/core/definition";
import { TESTS } from "@pi-chronicle/core/template";
import type { WorkflowDefinition } from "../definitions/index.ts";
import { limitsText, stepTool } from "../limits/index.ts";
import {
	currentPhase,
	type EndedVisit,
	type LiveWorkflowRun,
	loopsLeft,
	previousPosition,
	rootOf,
	waitsForUser,
} from "../phase-machine/index.ts";
import { noticeMark, pathHeader, phaseList, roundOf } from "./place.ts";
import { expand, instructionsOf, namesTask, nextName, nextPhase, taskAgain, variablesOf } from "./template.ts";

/** What a model needs to know at the beginning of a phase. */
export interface PhaseBrief {
	readonly run: LiveWorkflowRun;
	/** What the model's context contains: nothing of the run; the run's first message, just before this text; a long task; or an earlier phase. */
	readonly known: "nothing" | "start" | "task" | "run";
	/** The visits that have ended, oldest first, for a context that does not contain them. */
	readonly visits: readonly FinishedVisit[];
	/** The user's messages of the run, oldest first, for a context that may lack them. */
	readonly words?: readonly UserWord[];
	/** Why the phases began again: the model's summary of a `loop` that led here. */
	readonly reason?: string | undefined;
	/** The model's question that the user's latest message answers. */
	readonly answered?: string | undefined;
	/** The context has texts of an earlier definition. */
	readonly replaces?: boolean;
}

/** A visit that has ended. */
export interface FinishedVisit extends EndedVisit {
	/** Name of the phase. */
	readonly phase: string;
}

/** A message of the user during the run. */
export interface UserWord {
	/** The model's question that it answers. */
	readonly question: string | undefined;
	readonly text: string;
}

/** The text of a phase. With `known: "run"`, it has only what is new. */
export function phaseFrame({ run, known, visits, answered, words = [], reason, replaces }: PhaseBrief): string {
	if (known === "run") return paragraphs(pathHeader(run), roundText(run, reason), changedRole(run), phaseText(run));
	const profiles = [...new Set([...run.definitions.values()].flatMap(phaseProfiles))];
	return paragraphs(
		`${pathHeader(run)}\n${noticeMark}`,
		replaces ? "The workflow's definition has changed: this replaces every earlier text of the workflow." : undefined,
		roleText(run),
		taskText(run, known),
		uncommittedText(run),
		`The phases, in order:\n${phaseList(run)}`,
		visitsText(visits),
		wordsText(words),
		roundText(run, reason),
		phaseText(run),
		questionText(run, answered),
		profiles.length > 0 ? `Profiles that this workflow uses: ${profiles.join(", ")}` : undefined,
	);
}

/** The part that is new with each phase: instructions, limits, how it ends. */
function phaseText(run: LiveWorkflowRun): string {
	const { profiles, tools, gate } = currentPhase(run);
	return paragraphs(
		`## Instructions for this phase\n\n${instructionsOf(run)}`,
		limitsText(tools),
		profiles.length > 0 ? `Profiles for this phase: ${profiles.join(", ")}` : undefined,
		gate && `When you finish the phase, its gate runs, and must succeed: ${gateName(gate.command)}`,
		advanceText(run),
		freshNextText(run),
	);
}

/** That a summary is all that the next phase gets; `undefined`: it is not, or the model gives none. */
function freshNextText(run: LiveWorkflowRun): string | undefined {
	const next = nextPhase(run);
	if (next?.context !== "fresh" || waitsForUser(run)) return undefined;
	return `"${next.name}" begins without this conversation and gets only your summaries: put all that it needs into the summary, in up to ${room.all} characters.`;
}

function gateName(command: string): string {
	return command === TESTS ? "the project's tests" : `\`${command}\``;
}

function questionText({ question }: LiveWorkflowRun, answered: string | undefined): string | undefined {
	if (question !== undefined) return `You have asked the user, and wait for the answer: ${question}`;
	return answered === undefined
		? undefined
		: `You asked the user: ${answered}\nThe user's latest message is the answer.`;
}

/** Maximum characters of all summaries, and of one that is shortened. */
const room = { all: 8_000, short: 200 } as const;
/** Maximum number of visits that are listed. */
const maxVisits = 40;

/** The model's own summaries, and how the last gate succeeded. */
export function visitsText(visits: readonly FinishedVisit[]): string | undefined {
	const title = "What you reported so far:";
	const listed = listNewest(title, "phases", visits, ({ phase, way, summary = "", by }, shorten) => {
		const ended = by === undefined ? "" : " (ended by the user)";
		const how = {
			next: ended,
			loop: " (then restarted)",
			skip: " (skipped by the user)",
			back: " (the user went back)",
		}[way];
		const shown = shorten(summary);
		return `${phase}${how}${shown === "" ? "" : `: ${shown}`}`;
	});
	const gate = visits.at(-1)?.gate;
	return gate === undefined ? listed : `${listed}\n${gate}`;
}

/** The newest items under a title, oldest first. If they are long, the older ones are shortened. */
function listNewest<T>(
	title: string,
	items: string,
	all: readonly T[],
	line: (item: T, shorten: (text: string) => string) => string,
): string | undefined {
	if (all.length === 0) return undefined;
	const shorten = shortener();
	const newest = all.slice(-maxVisits).toReversed();
	const lines = newest.map((item) => `* ${line(item, shorten)}`);
	const earlier = all.length - lines.length;
	const left = earlier > 0 ? [`* ${earlier} earlier ${items} are not listed`] : [];
	return [title, ...left, ...lines.reverse()].join("\n");
}

/** Shortens texts, called for the newest first, once all of them are longer than `room.all`. */
function shortener(): (text: string) => string {
	let left: number = room.all;
	return (text) => {
		const shown = text.length <= left ? text : `${text.slice(0, room.short).replace(/\s+\S{0,40}$/, "")}…`;
		left = Math.max(0, left - shown.length);
		return shown;
	};
}

/** The user's own messages. */
function wordsText(words: readonly UserWord[]): string | undefined {
	const title = "What the user said since the workflow began, oldest first:";
	return listNewest(title, "messages", words, ({ question, text }, shorten) =>
		question === undefined ? shorten(text) : `to your question "${shorten(question)}": ${shorten(text)}`,
	);
}

function taskText(run: LiveWorkflowRun, known: PhaseBrief["known"]): string {
	const { name, initialMessage } = rootOf(run);
	if (known === "start" && namesTask(initialMessage))
		return `The message above starts the workflow "${name}": the task in it is the user's, the words around it are the workflow's.`;
	const task = `Task: ${known === "task" ? taskAgain(run.task) : run.task}`;
	return known === "start" ? `${task}\nThe message above is the beginning of the workflow's text.` : task;
}

function uncommittedText({ uncommitted }: LiveWorkflowRun): string | undefined {
	return uncommitted && `Not committed before the workflow began, so not your work: ${pathListText(uncommitted)}.`;
}

/** That the phases began again, and why. */
function roundText(run: LiveWorkflowRun, reason: string | undefined): string | undefined {
	const round = roundOf(run);
	if (round === undefined) return undefined;
	const place = `This is round ${round.number} of "${round.scope}".`;
	if (reason === undefined) return place;
	return `${place} You began it because: ${reason}\nDo what that requires; what earlier rounds found and made still counts.`;
}

function roleText(run: LiveWorkflowRun): string {
	const { roleInstruction, name } = rootOf(run);
	if (roleInstruction !== undefined) return expand(roleInstruction, variablesOf(run));
	return `The user started the workflow "${name}"; you get its phases one by one. Do only what the current phase asks. What the user says overrides its instructions, but does not lift its limits.`;
}

/** The role if its text differs from the previous phase, which requires that it contains variables of the phase. */
function changedRole(run: LiveWorkflowRun): string | undefined {
	const { roleInstruction } = rootOf(run);
	const before = previousPosition(run.definitions, run.position);
	if (roleInstruction === undefined || !before) return undefined;
	const now = expand(roleInstruction, variablesOf(run));
	const then = expand(roleInstruction, variablesOf({ ...run, position: before, step: run.step - 1 }));
	return now === then ? undefined : now;
}

/** How the model ends the phase, or that only the user can. */
export function endOfPhase(run: LiveWorkflowRun): string {
	return waitsForUser(run)
		? "You cannot end this phase: the user does, with /workflow next, or goes back to an earlier one with /workflow back. When your part is done, tell the user what to decide, and stop."
		: 'When it is finished, call workflow_step with action "next".';
}

function advanceText(run: LiveWorkflowRun): string {
	// The workflow's own `advanceReminder` asks the model to advance, which it cannot do in this phase.
	if (waitsForUser(run)) return endOfPhase(run);
	const { advanceReminder } = rootOf(run);
	if (advanceReminder !== undefined) return expand(advanceReminder, variablesOf(run));
	const loop = loopsLeft(run) === 0 ? ' Action "loop" is not available now.' : "";
	return `When this phase is finished, call ${stepTool} with action "next" (then: ${nextName(run)}) and a short summary. To ask the user something, use action "ask".${loop}`;
}

function phaseProfiles({ entries }: WorkflowDefinition): readonly string[] {
	return entries.flatMap((entry) => (entry.kind === "phase" ? entry.profiles : []));
}

function paragraphs(...parts: (string | undefined)[]): string {
	return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}
