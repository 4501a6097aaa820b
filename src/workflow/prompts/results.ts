// Answers of `workflow_step`. The first line states the outcome; for a normal step, the screen shows only that line.
import {
	currentPhase,
	definitionOf,
	type ExitKind,
	type LiveWorkflowRun,
	type Position,
	phaseAt,
	rootOf,
	scopeOf,
	waitsForUser,
} from "../machine/index.ts";
import { endOfPhase, laterText } from "./phase.ts";
import { countText, phaseTitle } from "./place.ts";
import { breadcrumb, instructionsOf, nextName, taskAgain } from "./template.ts";

/** After a move: the outcome, the position, and the text of the new phase. */
export function movedText(run: LiveWorkflowRun, from: Position, way: ExitKind): string {
	const old = phaseAt(run.definitions, from).name;
	const { name } = currentPhase(run);
	return [
		`✓ ${verb(run, from, way)}: ${old} → ${phaseTitle(run)}`,
		`Previous: ${old} · Current: ${name} · Next: ${nextName(run)}`,
		"",
		laterText(run),
	].join("\n");
}

/** The same after the user moved the run. */
export function movedByPersonText(run: LiveWorkflowRun, from: Position, way: ExitKind): string {
	const did = way === "next" ? "ended the phase" : "moved the workflow to another phase";
	return `The user has ${did}.\n\n${movedText(run, from, way)}`;
}

/** After the last phase. */
export function doneText(run: LiveWorkflowRun): string {
	const { name } = currentPhase(run);
	return [
		`✓ Advanced: ${name} → DONE`,
		`Previous: ${name} · Current: DONE`,
		"",
		`All phases of "${rootOf(run).name}" are complete. Its instructions and limits no longer apply. Tell the user briefly what was done.`,
	].join("\n");
}

export function askCancelText(run: LiveWorkflowRun | undefined): string {
	const name = run ? `"${rootOf(run).name}"` : "this workflow";
	return `Really cancel ${name}?\nUnfinished work stays unfinished, and this cannot be undone. If so, call workflow_step with action "cancel" again in your next message; anything else keeps the workflow running.`;
}

export function cancelledText(task: string): string {
	return `The workflow is cancelled. Its task was: "${taskAgain(task)}". Its instructions and limits no longer apply.`;
}

/** The full status of a run. */
export function statusText(run: LiveWorkflowRun): string {
	const root = rootOf(run);
	const { profiles } = currentPhase(run);
	const nested = run.position.length > 1;
	const last = run.position.at(-1);
	const count = last ? countText(run.definitions, last) : "";
	const paused = run.status.kind === "paused" ? ["Paused: only the user can resume it, with /workflow resume."] : [];
	return [
		`Workflow: ${root.name} (${root.key})`,
		`Task id: ${run.id}`,
		`Task: ${taskAgain(run.task)}`,
		...(nested ? [`Path: ${breadcrumb(run, run.position)}`] : []),
		`Phase: ${phaseTitle(run)} ${count}${nested ? `, step ${run.step}` : ""}`,
		...(waitsForUser(run) ? [endOfPhase(run)] : []),
		...paused,
		`Started: ${new Date(run.startedAt).toISOString()}`,
		"",
		instructionsOf(run),
		...(profiles.length > 0 ? ["", `Profiles: ${profiles.join(", ")}`] : []),
	].join("\n");
}

/** Describes a move, naming every workflow that it left or entered. */
function verb(run: LiveWorkflowRun, from: Position, way: ExitKind): string {
	if (way === "loop") return `Started "${scopeName(run)}" again`;
	if (way === "back") return "Went back";
	const shared = sharedScopes(from, run.position);
	const left = breadcrumb(run, from.slice(shared));
	const entered = breadcrumb(run, run.position.slice(shared));
	if (left && entered) return `Left ${left}, entered ${entered}`;
	if (entered) return `Entered ${entered}`;
	if (left) return `Left ${left}, back in ${breadcrumb(run, run.position)}`;
	return way === "skip" ? "Skipped" : "Advanced";
}

/** The scope that a loop restarted. The run may now be deeper than that scope, because a scope can begin with references. */
function scopeName(run: LiveWorkflowRun): string {
	for (const segment of [...run.position].reverse())
		if (segment.loops > 0) return definitionOf(run.definitions, segment.workflowKey).name;
	return scopeOf(run).name;
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
