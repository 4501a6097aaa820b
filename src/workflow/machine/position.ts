// Ways through nested workflows: the phase at a position, the one after it, the one before it, the start of its scope.
// N1 every position that comes out of here ends at a phase, never at a reference; N2 nested references of any depth are walked, not recursed into.
import type { Phase, Reference, WorkflowDefinition } from "../definitions/index.ts";
import type { Definitions, LiveWorkflowRun, Position, Segment } from "./run.ts";

/** The definition that `key` names; what is missing breaks an invariant of `Definitions`. */
export function definitionOf(definitions: Definitions, key: string): WorkflowDefinition {
	const definition = definitions.get(key);
	if (!definition) throw new Error(`The definitions of this run hold no workflow "${key}".`);
	return definition;
}

/** The entry that a segment points at. */
export function entryAt(definitions: Definitions, { workflowKey, phaseIndex }: Segment): Phase | Reference {
	const entry = definitionOf(definitions, workflowKey).entries[phaseIndex];
	if (!entry) throw new Error(`The workflow "${workflowKey}" has no entry ${phaseIndex}.`);
	return entry;
}

/** The innermost scope of a position. */
export function innermost(position: Position): Segment {
	const last = position.at(-1);
	if (!last) throw new Error("A position is never empty.");
	return last;
}

/** The phase at a position. */
export function phaseAt(definitions: Definitions, position: Position): Phase {
	const entry = entryAt(definitions, innermost(position));
	if (entry.kind !== "phase") throw new Error(`"${entry.key}" is not a phase.`);
	return entry;
}

/** The phase that a run is in. */
export function currentPhase(run: LiveWorkflowRun): Phase {
	return phaseAt(run.definitions, run.position);
}

/** Whether only a person ends the phase that a run is in. */
export function waitsForPerson(run: LiveWorkflowRun): boolean {
	return currentPhase(run).advance === "person";
}

/** The workflow that the person started. */
export function rootOf(run: LiveWorkflowRun): WorkflowDefinition {
	return definitionOf(run.definitions, run.workflowKey);
}

/** The workflow whose phases are being gone through right now. */
export function scopeOf(run: LiveWorkflowRun): WorkflowDefinition {
	return definitionOf(run.definitions, innermost(run.position).workflowKey);
}

/** Where a workflow begins: its first phase, through as many references as stand before it. */
export function firstPosition(definitions: Definitions, key: string): Position {
	return enter(definitions, [{ workflowKey: key, phaseIndex: 0, loops: 0 }]);
}

/** The position after this one; `undefined` after the last phase of all. Finished scopes are left, scopes that begin are entered. */
export function nextPosition(definitions: Definitions, position: Position): Position | undefined {
	for (let depth = position.length - 1; depth >= 0; depth--) {
		const segment = position[depth];
		if (!segment) break;
		if (segment.phaseIndex + 1 < definitionOf(definitions, segment.workflowKey).entries.length)
			return enter(definitions, [...position.slice(0, depth), { ...segment, phaseIndex: segment.phaseIndex + 1 }]);
	}
	return undefined;
}

/** The position before this one in the order of the definition; `undefined` before the first. */
export function previousPosition(definitions: Definitions, position: Position): Position | undefined {
	for (let depth = position.length - 1; depth >= 0; depth--) {
		const segment = position[depth];
		if (!segment) break;
		if (segment.phaseIndex > 0)
			return enterAtEnd(definitions, [...position.slice(0, depth), { ...segment, phaseIndex: segment.phaseIndex - 1 }]);
	}
	return undefined;
}

/** The first phase of the innermost scope, entered once more. */
export function loopedPosition(definitions: Definitions, position: Position): Position {
	const last = innermost(position);
	return enter(definitions, [...position.slice(0, -1), { ...last, phaseIndex: 0, loops: last.loops + 1 }]);
}

/** Whether two positions are the same place; how often their scopes were looped does not matter. */
export function samePlace(a: Position, b: Position): boolean {
	return (
		a.length === b.length &&
		a.every(({ workflowKey, phaseIndex }, depth) => {
			const other = b[depth];
			return other?.workflowKey === workflowKey && other.phaseIndex === phaseIndex;
		})
	);
}

/** Follows references from the last segment down to the first phase. */
export function enter(definitions: Definitions, position: Position): Position {
	const path = [...position];
	for (let entry = entryAt(definitions, innermost(path)); entry.kind === "reference"; ) {
		const inner: Segment = { workflowKey: entry.key, phaseIndex: 0, loops: 0 };
		path.push(inner);
		entry = entryAt(definitions, inner);
	}
	return path;
}

function enterAtEnd(definitions: Definitions, position: Position): Position {
	const path = [...position];
	for (let entry = entryAt(definitions, innermost(path)); entry.kind === "reference"; ) {
		const { entries } = definitionOf(definitions, entry.key);
		const inner: Segment = { workflowKey: entry.key, phaseIndex: entries.length - 1, loops: 0 };
		path.push(inner);
		entry = entryAt(definitions, inner);
	}
	return path;
}
