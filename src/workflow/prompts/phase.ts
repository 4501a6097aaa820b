// What the model is told when a phase begins: once per visit, and once more where a compaction has removed it.
// The first phase tells everything; a later one only what is new, because what was said before is still there.
import type { WorkflowDefinition } from "../definitions/index.ts";
import { limitsText } from "../limits/index.ts";
import {
	currentPhase,
	innermost,
	type LiveWorkflowRun,
	previousPosition,
	rootOf,
	scopeOf,
	waitsForPerson,
} from "../machine/index.ts";
import { pathHeader, phaseList } from "./place.ts";
import { expand, instructionsOf, nextName, taskAgain, variablesOf } from "./template.ts";

/**
 * The whole text: role, task, phases, instructions, limits. For the first phase, and after a compaction. `task`: whether the model has the task
 * before it already; a long one is not given again then.
 */
export function wholeText(run: LiveWorkflowRun, task: "new" | "known" = "new"): string {
	const profiles = [...new Set([...run.definitions.values()].flatMap(phaseProfiles))];
	return paragraphs(
		pathHeader(run),
		roleText(run),
		`Task: ${task === "known" ? taskAgain(run.task) : run.task}\nTask id: ${run.id}\n${progressText(run)}`,
		`The phases, in order:\n${phaseList(run)}`,
		phaseText(run),
		profiles.length > 0 ? `Profiles that this workflow uses: ${profiles.join(", ")}` : undefined,
	);
}

/** What is new with a phase: its instructions, its limits, how it ends. */
export function phaseText(run: LiveWorkflowRun): string {
	const { profiles, tools } = currentPhase(run);
	return paragraphs(
		`## Instructions for this phase\n\n${instructionsOf(run)}`,
		limitsText(tools),
		profiles.length > 0 ? `Profiles for this phase: ${profiles.join(", ")}` : undefined,
		advanceText(run),
	);
}

/** The text of a later phase: its path, the role where it says something else now, and what is new. */
export function laterText(run: LiveWorkflowRun): string {
	return paragraphs(pathHeader(run), changedRole(run), phaseText(run));
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
	return `You are working through the workflow "${name}" phase by phase. Do what the current phase asks, and only that; a later phase has its own instructions and may use other tools. Instructions and limits of a phase end with it.`;
}

/** A role with variables of the phase in it reads differently in every phase; one without is not said again. */
function changedRole(run: LiveWorkflowRun): string | undefined {
	const { roleInstruction } = rootOf(run);
	const before = previousPosition(run.definitions, run.position);
	if (roleInstruction === undefined || !before) return undefined;
	const now = expand(roleInstruction, variablesOf(run));
	const then = expand(roleInstruction, variablesOf({ ...run, position: before, step: run.step - 1 }));
	return now === then ? undefined : now;
}

/** How the model ends the phase, or that it does not. */
export function endOfPhase(run: LiveWorkflowRun): string {
	return waitsForPerson(run)
		? "You cannot end this phase: the user does, with /workflow next. When your part is done, tell the user what there is to decide, and stop."
		: 'When it is finished, call workflow_step with action "next".';
}

function advanceText(run: LiveWorkflowRun): string {
	// The workflow's own reminder tells the model to go on, which it cannot here.
	if (waitsForPerson(run)) return endOfPhase(run);
	const { advanceReminder } = rootOf(run);
	if (advanceReminder !== undefined) return expand(advanceReminder, variablesOf(run));
	return `When this phase is finished, call workflow_step with action "next" (then: ${nextName(run)}) and a short summary.`;
}

function phaseProfiles({ entries }: WorkflowDefinition): readonly string[] {
	return entries.flatMap((entry) => (entry.kind === "phase" ? entry.profiles : []));
}

function paragraphs(...parts: (string | undefined)[]): string {
	return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}
