// One execution of a workflow. Data only; `workflowTransition` derives the next run from it.
// The position of a live run leads from the root workflow to a phase that exists in its definitions; runs are immutable.

import type { VisitUse } from "@pi-chronicle/core/bounds";
import type { PathList } from "@pi-chronicle/core/definition";
import type { WorkflowDefinition } from "../definitions/index.ts";

/** The definitions of a run: the root and everything it refers to. References resolve without cycles; no workflow is empty. */
export type Definitions = ReadonlyMap<string, WorkflowDefinition>;

/** One scope of a position. */
export interface Segment {
	readonly workflowKey: string;
	/** 0-based, in the entries of that workflow. */
	readonly phaseIndex: number;
	/** How often the scope was looped in this visit. */
	readonly loops: number;
}

/** From the root workflow (first) to the scope that holds the current phase (last). Never empty. */
export type Position = readonly Segment[];

/** `interrupt`: the user stopped the model. `bounds`: a visit made no progress, or reached one of its ceilings. */
export type PauseCause = "person" | "interrupt" | "error" | "reminders" | "bounds";

export type WorkflowStatus =
	| { readonly kind: "running" }
	/** The model is not reminded and the phase does not change until the user sends a message or resumes the run. */
	| { readonly kind: "paused"; readonly by: PauseCause; readonly why: string | undefined }
	| { readonly kind: "done" }
	| { readonly kind: "cancelled" };

export interface Reminders {
	/** Since the model last did something else. */
	readonly row: number;
	/** In this visit. */
	readonly visit: number;
	/** One of them was about a question, since the user's last message. */
	readonly question?: true;
}

export const noReminders: Reminders = { row: 0, visit: 0 };

interface RunFacts {
	/** `wf-<ms>-<6 characters>`. */
	readonly id: string;
	/** Key of the root workflow. */
	readonly workflowKey: string;
	/** The user's request, trimmed. */
	readonly task: string;
	/** ms since the epoch. */
	readonly startedAt: number;
	/** What git reported as uncommitted when the run began: not the run's work. */
	readonly uncommitted?: PathList | undefined;
	readonly position: Position;
	/** Number of phase changes; together with `id` it identifies a visit. */
	readonly step: number;
	/** When the current phase was entered or the last one ended, in ms since the epoch. */
	readonly since: number;
	readonly status: WorkflowStatus;
	/** The model's question to the user. Until the answer, the model is not reminded and cannot change the phase. */
	readonly question: string | undefined;

	// The following is not stored in the session: it is reset by a reload.
	readonly reminders: Reminders;
	/** Use that counts against the bounds of this visit, since the user's last message; `undefined`: none yet. */
	readonly use?: VisitUse | undefined;
	/** Id of the assistant message in which the model asked to cancel, until that is confirmed or dropped. */
	readonly askedToCancel: string | undefined;
}

/** A run whose definitions are known. */
export interface LiveWorkflowRun extends RunFacts {
	readonly kind: "live";
	readonly definitions: Definitions;
}

/** A run whose definitions are missing: it keeps its place, and no tool is allowed. */
export interface StaleWorkflowRun extends RunFacts {
	readonly kind: "stale";
	/** Key of the workflow that is missing. */
	readonly missing: string;
	/** Id of its phase, if the session has it. */
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

export interface WorkflowStart extends Pick<RunFacts, "id" | "workflowKey" | "task" | "position" | "uncommitted"> {
	readonly definitions: Definitions;
	/** ms since the epoch. */
	readonly at: number;
}

/** A new run. */
export function beginWorkflowRun({
	id,
	definitions,
	workflowKey,
	task,
	at,
	position,
	uncommitted,
}: WorkflowStart): LiveWorkflowRun {
	return {
		kind: "live",
		id,
		definitions,
		workflowKey,
		task,
		startedAt: at,
		...(uncommitted && { uncommitted }),
		position,
		step: 0,
		since: at,
		status: { kind: "running" },
		question: undefined,
		reminders: noReminders,
		askedToCancel: undefined,
	};
}
