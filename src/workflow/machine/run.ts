// One execution of a workflow: where it stands and what it waits for. Data only; `transition` makes a new run from it.
// R1 the position of a live run leads from the root workflow to a phase that exists in its definitions; R2 nothing here is ever changed in place.
import type { VisitUse } from "../../bounds/index.ts";
import type { WorkflowDefinition } from "../definitions/index.ts";

/** The definitions of a run: the root and everything it refers to. References resolve within it, without cycles; no workflow is empty. */
export type Definitions = ReadonlyMap<string, WorkflowDefinition>;

/** One scope of a position. */
export interface Segment {
	readonly workflowKey: string;
	/** 0-based, in the entries of that workflow. */
	readonly phaseIndex: number;
	/** How often this visit of the scope has been looped. */
	readonly loops: number;
}

/** From the root workflow (first) to the scope that holds the current phase (last). Never empty. */
export type Position = readonly Segment[];

/**
 * `interrupt`: the person stopped the model in the middle; what they say next lets the run go on. `bounds`: a visit of a phase went round,
 * or reached one of its ceilings.
 */
export type PauseCause = "person" | "interrupt" | "error" | "reminders" | "bounds";

export type WorkflowStatus =
	| { readonly kind: "running" }
	/** Nothing goes on by itself and the phase does not change until a person resumes. */
	| { readonly kind: "paused"; readonly by: PauseCause; readonly why: string | undefined }
	| { readonly kind: "done" }
	| { readonly kind: "cancelled" };

interface RunFacts {
	/** `wf-<ms>-<6 characters>`. */
	readonly id: string;
	/** Key of the root workflow. */
	readonly workflowKey: string;
	/** What the person asked for, trimmed. */
	readonly task: string;
	/** ms since the epoch. */
	readonly startedAt: number;
	readonly position: Position;
	/** Phase changes so far; with `id` it names the visit of a phase. */
	readonly step: number;
	/** When the current phase was entered, or the last one left, ms since the epoch. */
	readonly since: number;
	readonly status: WorkflowStatus;

	// What follows is not kept in the session: it starts anew after a reload.
	/** Reminders since the model last did anything else, and in this visit of the phase. */
	readonly reminders: { readonly row: number; readonly visit: number };
	/** What counts against the bounds of this visit, since a person last said something; `undefined`: nothing yet. */
	readonly use?: VisitUse | undefined;
	/** The assistant message in which the model asked to cancel, while that is open. */
	readonly askedToCancel: string | undefined;
}

/** A run whose definitions are at hand. */
export interface LiveWorkflowRun extends RunFacts {
	readonly kind: "live";
	readonly definitions: Definitions;
}

/** A run whose definitions are not to be found: it keeps its place and its restrictions stay closed. */
export interface StaleWorkflowRun extends RunFacts {
	readonly kind: "stale";
	/** Key of the workflow that is missing. */
	readonly missing: string;
	/** Id of the phase it is in, where the session tells it. */
	readonly phaseId: string | undefined;
}

export type WorkflowRun = LiveWorkflowRun | StaleWorkflowRun;

/** Neither finished nor cancelled: running, or paused. */
export function isActive(run: WorkflowRun): boolean {
	switch (run.status.kind) {
		case "running":
		case "paused":
			return true;
		case "done":
		case "cancelled":
			return false;
	}
}

export interface WorkflowStart {
	/** `wf-<ms>-<6 characters>`. */
	readonly id: string;
	readonly definitions: Definitions;
	readonly workflowKey: string;
	readonly task: string;
	/** ms since the epoch. */
	readonly at: number;
	/** The first phase of the workflow. */
	readonly position: Position;
}

/** A run that has just begun. */
export function beginWorkflowRun({ id, definitions, workflowKey, task, at, position }: WorkflowStart): LiveWorkflowRun {
	return {
		kind: "live",
		id,
		definitions,
		workflowKey,
		task,
		startedAt: at,
		position,
		step: 0,
		since: at,
		status: { kind: "running" },
		reminders: { row: 0, visit: 0 },
		askedToCancel: undefined,
	};
}
