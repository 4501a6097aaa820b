// The text that the model receives when a phase begins: once per visit, and again if a compaction removed it.
// The first phase includes everything. A later phase includes only what is new, because the earlier text is still in the context.
import type { WorkflowDefinition } from "../definitions/index.ts";
import { limitsText } from "../limits/index.ts";
import {
	currentPhase,
	innermost,
	type LiveWorkflowRun,
	previousPosition,
	rootOf,
	scopeOf,
	waitsForUser,
} from "../machine/index.ts";
import { pathHeader, phaseList } from "./place.ts";
import { expand, instructionsOf, nextName, taskAgain, variablesOf } from "./template.ts";

/**
 * The whole text: role, task, phases, instructions, limits. For the first phase, and after a compaction. `task`: whether the model's
 * context already contains the task; if so, a long task is not repeated.
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

/** The text of a later phase: its path, the role if its text has changed, and the phase's own part. */
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
	return `When this phase is finished, call workflow_step with action "next" (then: ${nextName(run)}) and a short summary.`;
}

function phaseProfiles({ entries }: WorkflowDefinition): readonly string[] {
	return entries.flatMap((entry) => (entry.kind === "phase" ? entry.profiles : []));
}

function paragraphs(...parts: (string | undefined)[]): string {
	return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}
