// Short descriptions of a run's position: phase number, list of all phases.
import {
	currentPhase,
	definitionOf,
	entryAt,
	firstPosition,
	type LiveWorkflowRun,
	nextPosition,
	type Position,
	phaseAt,
	type Segment,
	samePlace,
} from "../phase-machine/index.ts";
import { breadcrumb } from "./template.ts";

/** The position of a run: each nested workflow with the number of its entry, then the phase. */
export function placeLine(run: LiveWorkflowRun): string {
	const { name } = definitionOf(run.definitions, run.workflowKey);
	return [name, ...run.position.map((segment) => levelText(run, segment))].join(" > ");
}

function levelText({ definitions }: LiveWorkflowRun, segment: Segment): string {
	const entry = entryAt(definitions, segment);
	const text = entry.kind === "phase" ? `${entry.emoji} ${entry.name}` : definitionOf(definitions, entry.key).name;
	return `${text} ${countText(definitions, segment)}`;
}

/** The number of an entry in its workflow: `[2/3]`. */
export function countText(definitions: LiveWorkflowRun["definitions"], { workflowKey, phaseIndex }: Segment): string {
	return `[${phaseIndex + 1}/${definitionOf(definitions, workflowKey).entries.length}]`;
}

/** `🔍 Static Analysis`. */
export function phaseTitle(run: LiveWorkflowRun): string {
	const { emoji, name } = currentPhase(run);
	return `${emoji} ${name}`;
}

/** The name of the phase with this id; the id itself if the definitions contain several such phases, or none. */
export function phaseNameById(run: LiveWorkflowRun, phaseId: string): string {
	const names = [...run.definitions.keys()].flatMap((key) =>
		definitionOf(run.definitions, key).entries.flatMap((entry) =>
			entry.kind === "phase" && entry.id === phaseId ? [entry.name] : [],
		),
	);
	return names.length === 1 && names[0] !== undefined ? names[0] : phaseId;
}

/** The first line of a message that the model could take for the user's own. */
export const noticeMark = "[Automatic message from pi-chronicle]";

/** The innermost workflow that was restarted, and which round of it this is; `undefined` in the first rounds. */
export function roundOf({ definitions, position }: LiveWorkflowRun): { scope: string; number: number } | undefined {
	const again = position.findLast(({ loops }) => loops > 0);
	return again && { scope: definitionOf(definitions, again.workflowKey).name, number: again.loops + 1 };
}

/** The line above a phase's text: `[Workflow path: Release > Code Review ▸ 🔍 Static Analysis]`. */
export function pathHeader(run: LiveWorkflowRun): string {
	return `[Workflow path: ${breadcrumb(run, run.position)} ▸ ${phaseTitle(run)}]`;
}

/** Maximum lines of the phase list; a longer list shows the phases near the current one. */
const maxLines = 40;
/** Phases beyond the list that are counted. References can multiply phases exponentially. */
const maxCounted = 1_000;

/** All phases in order, including nested workflows, with the current phase marked. */
export function phaseList(run: LiveWorkflowRun): string {
	const before: string[] = [];
	const after: string[] = [];
	let uncounted = 0;
	let number = 0;
	let found = false;
	for (const position of phasePositions(run)) {
		number++;
		const isCurrent: boolean = !found && samePlace(position, run.position);
		found ||= isCurrent;
		if (after.length > maxLines) uncounted++;
		else (found ? after : before).push(phaseLine(run, position, number, isCurrent));
		if (before.length > maxLines) before.shift();
		if (uncounted > maxCounted) break;
	}
	const lines = [...before.slice(-maxLines / 2), ...after];
	const shown = lines.slice(0, maxLines);
	const more = lines.length - shown.length + uncounted;
	if (more > 0) shown.push(`  … ${uncounted > maxCounted ? "and many" : more} more`);
	return shown.join("\n");
}

/** The positions of all phases in order. */
export function* phasePositions({ definitions, workflowKey }: LiveWorkflowRun): Generator<Position> {
	let position: Position | undefined = firstPosition(definitions, workflowKey);
	for (; position; position = nextPosition(definitions, position)) yield position;
}

function phaseLine(run: LiveWorkflowRun, position: Position, number: number, isCurrent: boolean): string {
	const { emoji, name } = phaseAt(run.definitions, position);
	const scope = position.length > 1 ? ` (${breadcrumb(run, position.slice(1))})` : "";
	return `${isCurrent ? "▶" : " "} ${number}. ${emoji} ${name}${scope}`;
}
