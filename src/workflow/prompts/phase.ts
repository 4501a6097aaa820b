// The text that the model receives when a phase begins: once per visit, and again if a compaction removed it.
// F1 `phaseFrame` builds every such text; F2 it names only what works in this phase.
import type { WorkflowDefinition } from "../definitions/index.ts";
import { limitsText, stepTool } from "../limits/index.ts";
import {
	currentPhase,
	type ExitKind,
	innermost,
	type LiveWorkflowRun,
	loopsLeft,
	previousPosition,
	rootOf,
	scopeOf,
	waitsForUser,
} from "../machine/index.ts";
import { pathHeader, phaseList } from "./place.ts";
import { expand, instructionsOf, nextName, taskAgain, variablesOf } from "./template.ts";

/** What a model needs to know at the beginning of a phase. */
export interface PhaseBrief {
	readonly run: LiveWorkflowRun;
	/** What the model's context contains: nothing of the run; a long task; or an earlier phase of the run. */
	readonly known: "nothing" | "task" | "run";
	/** The visits that have ended, oldest first, for a context that does not contain them. */
	readonly visits: readonly FinishedVisit[];
	/** The model's question that the user's latest message answers. */
	readonly answered?: string | undefined;
}

/** A visit that has ended. */
export interface FinishedVisit {
	/** Name of the phase. */
	readonly phase: string;
	readonly way: ExitKind;
	/** The model's summary. */
	readonly summary: string | undefined;
}

/** The text of a phase. With `known: "run"`, it has only what is new. */
export function phaseFrame({ run, known, visits, answered }: PhaseBrief): string {
	if (known === "run") return paragraphs(pathHeader(run), changedRole(run), phaseText(run));
	const profiles = [...new Set([...run.definitions.values()].flatMap(phaseProfiles))];
	return paragraphs(
		pathHeader(run),
		roleText(run),
		`Task: ${known === "task" ? taskAgain(run.task) : run.task}\nTask id: ${run.id}\n${progressText(run)}`,
		`The phases, in order:\n${phaseList(run)}`,
		visitsText(visits),
		phaseText(run),
		questionText(run, answered),
		profiles.length > 0 ? `Profiles that this workflow uses: ${profiles.join(", ")}` : undefined,
	);
}

/** The part that is new with each phase: instructions, limits, how it ends. */
function phaseText(run: LiveWorkflowRun): string {
	const { profiles, tools } = currentPhase(run);
	return paragraphs(
		`## Instructions for this phase\n\n${instructionsOf(run)}`,
		limitsText(tools),
		profiles.length > 0 ? `Profiles for this phase: ${profiles.join(", ")}` : undefined,
		advanceText(run),
	);
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

/** The model's own summaries. If they are long, the older ones are shortened. */
function visitsText(visits: readonly FinishedVisit[]): string | undefined {
	if (visits.length === 0) return undefined;
	const listed = visits.slice(-maxVisits);
	let left: number = room.all;
	const lines = listed.toReversed().map(({ phase, way, summary = "" }) => {
		const how = { next: "", loop: " (then restarted)", skip: " (skipped by the user)", back: " (the user went back)" }[
			way
		];
		const whole = summary.length <= left;
		const shown = whole ? summary : `${summary.slice(0, room.short)}…`;
		left = Math.max(0, left - shown.length);
		return `* ${phase}${how}${shown === "" ? "" : `: ${shown}`}`;
	});
	const earlier = visits.length - listed.length;
	return [
		"What you reported so far:",
		...(earlier > 0 ? [`* ${earlier} earlier phases are not listed`] : []),
		...lines.reverse(),
	].join("\n");
}

/** `Step 4 (2/3 phases)`. */
function progressText(run: LiveWorkflowRun): string {
	const last = innermost(run.position);
	const count = `${last.phaseIndex + 1}/${scopeOf(run).entries.length}`;
	return `Step ${run.step} (${count} ${run.position.length > 1 ? "in current scope" : "phases"})`;
}

function roleText(run: LiveWorkflowRun): string {
	const { roleInstruction, name } = rootOf(run);
	if (roleInstruction !== undefined) return expand(roleInstruction, variablesOf(run));
	return `pi-chronicle leads you through the workflow "${name}", which the user started, phase by phase. Do only what the current phase asks; its instructions and limits end with it.`;
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
		? "You cannot end this phase: the user does, with /workflow next. When your part is done, tell the user what to decide, and stop."
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
