// Expands `{name}` variables in the texts of workflows.
// One pass: expanded values are not expanded again; an unknown name stays as written.
import type { Phase } from "../definitions/index.ts";
import { allowedTools, blockedTools, stepTool } from "../limits/index.ts";
import {
	currentPhase,
	definitionOf,
	firstPosition,
	type LiveWorkflowRun,
	nextPosition,
	type Position,
	phaseAt,
	previousPosition,
	rootOf,
} from "../phase-machine/index.ts";

export type Variables = ReadonlyMap<string, string>;

/** Replaces `{name}` with its value; names consist of letters, digits, and `_`, and are case-sensitive. */
export function expand(template: string, variables: Variables): string {
	return template.replace(/\{(\w+)\}/g, (written, name: string) => variables.get(name) ?? written);
}

/** Maximum bytes of a task that is repeated in every text that names it. */
const longTask = 8 * 1024;

/** Whether a task is so long that the model's context contains it only once, with references elsewhere. */
export function isLongTask(task: string): boolean {
	return Buffer.byteLength(task) > longTask;
}

/** The task for a context that already contains it: a short task itself, or a reference to a long one. */
export function taskAgain(task: string): string {
	if (!isLongTask(task)) return task;
	const beginning = [...task.slice(0, 200).replace(/\s+/g, " ")].slice(0, 60).join("");
	return `the task as it was given at the start ("${beginning}…")`;
}

const taskNames: ReadonlySet<string> = new Set(["description", "taskDescription", "task"]);

/** Whether a text of a workflow contains the task. */
export function namesTask(template: string): boolean {
	return [...taskNames].some((name) => template.includes(`{${name}}`));
}

/** Expands the text that introduces the task: the first mention has the whole task, later mentions refer to a long one. */
export function expandFirst(template: string, run: LiveWorkflowRun): string {
	const variables = variablesOf(run);
	let given = false;
	return template.replace(/\{(\w+)\}/g, (written, name: string) => {
		if (!taskNames.has(name) || given) return variables.get(name) ?? written;
		given = true;
		return run.task;
	});
}

/** The variables at the run's current position. `toolName` is the tool that the text is about. */
export function variablesOf(
	run: LiveWorkflowRun,
	toolName: string = stepTool,
	task: string = taskAgain(run.task),
): Variables {
	const { definitions, position } = run;
	const root = rootOf(run);
	const phase = currentPhase(run);
	const first = phaseAt(definitions, firstPosition(definitions, root.key));
	const before = previousPosition(definitions, position);
	const variables = new Map([
		["workflowName", root.name],
		["workflowKey", root.key],
		...[...taskNames].map((name): [string, string] => [name, task]),
		["taskId", run.id],
		["phaseId", phase.id],
		["phaseName", phase.name],
		["phaseEmoji", phase.emoji],
		["previousPhaseName", before ? phaseAt(definitions, before).name : "(start)"],
		["nextPhaseName", nextName(run)],
		["blockedToolsList", blockedTools(phase.tools)],
		["allowedTools", allowedTools(phase.tools)],
		["toolName", toolName],
		["breadcrumbPath", breadcrumb(run, position)],
		["globalStepCount", String(run.step)],
		["firstPhaseId", first.id],
		["firstPhaseName", first.name],
		["firstPhaseEmoji", first.emoji],
		["firstPhaseProfiles", first.profiles.length > 0 ? first.profiles.join(", ") : "(none)"],
		["phaseCount", String(root.entries.length)],
	]);
	// Instructions cannot contain themselves; in all other texts they appear with their variables expanded.
	return variables.set("phaseInstructions", expand(phase.instructions, variables));
}

/** The name of the next phase, in whichever workflow it is; `DONE` after the last phase of the run. */
export function nextName(run: LiveWorkflowRun): string {
	return nextPhase(run)?.name ?? "DONE";
}

/** The phase that `next` leads to; `undefined`: the workflow ends. */
export function nextPhase({ definitions, position }: LiveWorkflowRun): Phase | undefined {
	const next = nextPosition(definitions, position);
	return next && phaseAt(definitions, next);
}

/** The names of the workflows on the path, from the root: `Release > Code Review`. */
export function breadcrumb({ definitions }: LiveWorkflowRun, position: Position): string {
	return position.map(({ workflowKey }) => definitionOf(definitions, workflowKey).name).join(" > ");
}

/** The instructions of the current phase with variables expanded. */
export function instructionsOf(run: LiveWorkflowRun): string {
	return variablesOf(run).get("phaseInstructions") ?? "";
}
