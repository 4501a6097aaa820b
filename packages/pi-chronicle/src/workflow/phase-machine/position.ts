// Navigation in nested workflows: the phase at a position, the next and previous position, the start of a scope.
// Every returned position ends at a phase, never at a reference; nested references are followed by loops, not by recursion.
import type { Phase, Reference, WorkflowDefinition } from "../definitions/index.ts";
import type { WorkflowRefusal } from "./event.ts";
import type { Definitions, LiveWorkflowRun, Position, Segment, WorkflowRun } from "./run.ts";

/** The definition with this key. Throws if it is missing, which violates an invariant of `Definitions`. */
export function definitionOf(definitions: Definitions, key: string): WorkflowDefinition {
	const definition = definitions.get(key);
	if (!definition) throw new Error(`The definitions of this run contain no workflow "${key}".`);
	return definition;
}

/** The entry that a segment points at. */
export function entryAt(definitions: Definitions, { workflowKey, phaseIndex }: Segment): Phase | Reference {
	const entry = definitionOf(definitions, workflowKey).entries[phaseIndex];
	if (!entry) throw new Error(`The workflow "${workflowKey}" has no entry ${phaseIndex}.`);
	return entry;
}

/** The innermost scope of a position. */
function innermost(position: Position): Segment {
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

/** The current phase of a run. */
export function currentPhase(run: LiveWorkflowRun): Phase {
	return phaseAt(run.definitions, run.position);
}

/** Whether only the user ends the current phase. */
export function waitsForUser(run: LiveWorkflowRun): boolean {
	return currentPhase(run).advance === "person";
}

/** The workflow that the user started. */
export function rootOf(run: LiveWorkflowRun): WorkflowDefinition {
	return definitionOf(run.definitions, run.workflowKey);
}

/** The innermost workflow around the current phase. */
export function scopeOf(run: LiveWorkflowRun): WorkflowDefinition {
	return definitionOf(run.definitions, innermost(run.position).workflowKey);
}

/** The first phase of a workflow, inside nested workflows if it begins with references. */
export function firstPosition(definitions: Definitions, key: string): Position {
	return enter(definitions, [{ workflowKey: key, phaseIndex: 0, loops: 0 }]);
}

/** The next position; `undefined` after the last phase. */
export function nextPosition(definitions: Definitions, position: Position): Position | undefined {
	for (let depth = position.length - 1; depth >= 0; depth--) {
		const segment = position[depth];
		if (!segment) break;
		if (segment.phaseIndex + 1 < definitionOf(definitions, segment.workflowKey).entries.length)
			return enter(definitions, [...position.slice(0, depth), { ...segment, phaseIndex: segment.phaseIndex + 1 }]);
	}
	return undefined;
}

/** The previous position in the order of the definition; `undefined` before the first phase. */
export function previousPosition(definitions: Definitions, position: Position): Position | undefined {
	for (let depth = position.length - 1; depth >= 0; depth--) {
		const segment = position[depth];
		if (!segment) break;
		if (segment.phaseIndex > 0)
			return enterAtEnd(definitions, [...position.slice(0, depth), { ...segment, phaseIndex: segment.phaseIndex - 1 }]);
	}
	return undefined;
}

/** How many phases ahead `laterPhase` looks: references can multiply phases exponentially. */
const farAhead = 100;

/** The nearest phase after the current one that is `wanted`. */
export function laterPhase(run: LiveWorkflowRun, wanted: (phase: Phase) => boolean): Phase | undefined {
	let position = nextPosition(run.definitions, run.position);
	for (let looked = 0; position && looked < farAhead; looked++) {
		const phase = phaseAt(run.definitions, position);
		if (wanted(phase)) return phase;
		position = nextPosition(run.definitions, position);
	}
	return undefined;
}

/** The first phase of the innermost scope, with one more loop. */
export function loopedPosition(definitions: Definitions, position: Position): Position {
	const last = innermost(position);
	return enter(definitions, [...position.slice(0, -1), { ...last, phaseIndex: 0, loops: last.loops + 1 }]);
}

/** How often the model may still restart the innermost scope; `Infinity` without a limit. */
export function loopsLeft(run: LiveWorkflowRun): number {
	const { loopable, maxLoops = Number.POSITIVE_INFINITY } = scopeOf(run);
	return loopable ? Math.max(0, maxLoops - innermost(run.position).loops) : 0;
}

/** Whether two positions are the same, loops aside. */
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

type Relocation = { readonly kind: "found"; readonly position: Position } | Extract<WorkflowRefusal, { kind: "gone" }>;

/** The position of `run` in `definitions`. Among several references to one workflow, the n-th stays the n-th. */
export function relocate(run: WorkflowRun, definitions: Definitions): Relocation {
	const position: Segment[] = [];
	for (const [depth, segment] of run.position.entries()) {
		const entries = definitions.get(segment.workflowKey)?.entries;
		if (!entries) return { kind: "gone", what: "workflow", id: segment.workflowKey };
		const inner = run.position[depth + 1];
		const phaseIndex = inner
			? scopeIndex(run, segment, inner.workflowKey, entries)
			: phaseIndexOf(run, segment, entries);
		if (phaseIndex === undefined)
			return inner
				? { kind: "gone", what: "workflow", id: inner.workflowKey }
				: { kind: "gone", what: "phase", id: phaseId(run) ?? String(segment.phaseIndex + 1) };
		position.push({ ...segment, phaseIndex });
	}
	return { kind: "found", position };
}

type Entries = readonly (Phase | Reference)[];

function scopeIndex(run: WorkflowRun, segment: Segment, key: string, entries: Entries): number | undefined {
	const places = entries.flatMap((entry, index) => (entry.kind === "reference" && entry.key === key ? [index] : []));
	return places[Math.min(turnOf(run, segment, key), places.length - 1)];
}

/** How many references to `key` precede the one that a segment points at. */
function turnOf(run: WorkflowRun, { workflowKey, phaseIndex }: Segment, key: string): number {
	if (run.kind === "stale") return 0;
	const before = definitionOf(run.definitions, workflowKey).entries.slice(0, phaseIndex);
	return before.filter((entry) => entry.kind === "reference" && entry.key === key).length;
}

function phaseIndexOf(run: WorkflowRun, { phaseIndex }: Segment, entries: Entries): number | undefined {
	const id = phaseId(run);
	// A state of the reference package has only the index.
	if (id === undefined) return entries[phaseIndex]?.kind === "phase" ? phaseIndex : undefined;
	const index = entries.findIndex((entry) => entry.kind === "phase" && entry.id === id);
	return index < 0 ? undefined : index;
}

function phaseId(run: WorkflowRun): string | undefined {
	return run.kind === "live" ? currentPhase(run).id : run.phaseId;
}
