// Finds the position of a run in other definitions: by the ids of its phase and of the workflows around it, not by their indexes.
import type { Phase, Reference } from "../definitions/index.ts";
import type { WorkflowRefusal } from "./event.ts";
import { currentPhase, definitionOf } from "./position.ts";
import type { Definitions, Position, Segment, WorkflowRun } from "./run.ts";

export type Relocation =
	| { readonly kind: "found"; readonly position: Position }
	| Extract<WorkflowRefusal, { kind: "gone" }>;

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
