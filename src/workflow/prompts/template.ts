// Variables in the texts that people write into workflows: `{name}`, and what each of them stands for.
// V1 one pass: a value is never looked at again; V2 a name that is not known stays as it was written.
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
} from "../machine/index.ts";

export type Variables = ReadonlyMap<string, string>;

/** Puts values in place of `{name}`; names are letters, digits and `_`, case-sensitive. */
export function expand(template: string, variables: Variables): string {
	return template.replace(/\{(\w+)\}/g, (written, name: string) => variables.get(name) ?? written);
}

/** Bytes up to which a task is repeated wherever a text names it. */
const longTask = 8 * 1024;

/** Whether a task is so long that it stands once in the model's context, and is referred to elsewhere. */
export function isLongTask(task: string): boolean {
	return Buffer.byteLength(task) > longTask;
}

/** The task where it has been given before: itself, or what refers to a long one. */
export function taskAgain(task: string): string {
	if (!isLongTask(task)) return task;
	const beginning = [...task.slice(0, 200).replace(/\s+/g, " ")].slice(0, 60).join("");
	return `the task as it was given at the start ("${beginning}…")`;
}

const taskNames: ReadonlySet<string> = new Set(["description", "taskDescription", "task"]);

/** Fills in the text that gives the task: where it is long, the first place that names it has it whole, the others refer to it. */
export function expandFirst(template: string, run: LiveWorkflowRun): string {
	const variables = variablesOf(run);
	let given = false;
	return template.replace(/\{(\w+)\}/g, (written, name: string) => {
		if (!taskNames.has(name) || given) return variables.get(name) ?? written;
		given = true;
		return run.task;
	});
}

/** What templates of this run may name while it is where it is. `toolName` is the tool that the text is about. */
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
	// Instructions cannot stand in themselves; everywhere else they stand with their variables filled in.
	return variables.set("phaseInstructions", expand(phase.instructions, variables));
}

/** The name of the phase after the current one, wherever it stands; `DONE` after the last of all. */
export function nextName(run: LiveWorkflowRun): string {
	const next = nextPosition(run.definitions, run.position);
	return next ? phaseAt(run.definitions, next).name : "DONE";
}

/** The names of the workflows on the way, from the root: `Release > Code Review`. */
export function breadcrumb({ definitions }: LiveWorkflowRun, position: Position): string {
	return position.map(({ workflowKey }) => definitionOf(definitions, workflowKey).name).join(" > ");
}

/** The instructions of the current phase, variables filled in. */
export function instructionsOf(run: LiveWorkflowRun): string {
	return variablesOf(run).get("phaseInstructions") ?? "";
}
