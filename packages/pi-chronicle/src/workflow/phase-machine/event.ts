// The events that a run reacts to, and the actions that result. Data only. All times are ms since the epoch.
import type { Definitions, PauseCause, Position } from "./run.ts";

/** A decision of the model. It applies to the visit in which the model made it, not to the visit in which it arrives. */
export interface ModelDecision {
	/** Id of the assistant message with the decision. */
	readonly message: string;
	/** The `step` of the visit whose text the model had read when it wrote the message; `undefined`: not the current text of the current visit. */
	readonly seen: number | undefined;
}

export type WorkflowEvent =
	/** The model finishes the phase, or restarts the innermost scope. */
	| (Omit<EndedVisit, "by" | "way"> & {
			readonly kind: "next" | "loop";
			readonly at: number;
			readonly decision: ModelDecision;
	  })
	/** The model wants to cancel the run. */
	| { readonly kind: "cancel"; readonly at: number; readonly decision: ModelDecision }
	/** The model asks the user; the run waits for the answer. */
	| { readonly kind: "ask"; readonly decision: ModelDecision; readonly question: string }
	/** The model asks for the status. */
	| { readonly kind: "status" }
	/** The user cancels the run. */
	| { readonly kind: "abandon"; readonly at: number }
	/** The user finishes the phase. `summary`: what the model said last. */
	| { readonly kind: "advance"; readonly at: number; readonly summary?: string | undefined }
	/** The user skips the phase. */
	| { readonly kind: "skip"; readonly at: number }
	/** The user returns to the previous phase, or to the nearest earlier one with this id or name. `summary`: what the model said last. */
	| { readonly kind: "back"; readonly at: number; readonly to?: string; readonly summary?: string | undefined }
	| { readonly kind: "pause"; readonly by: PauseCause; readonly why?: string }
	| { readonly kind: "resume" }
	/** Other definitions replace the pinned ones. */
	| { readonly kind: "reload"; readonly definitions: Definitions }
	/** The user sent a message to the model. */
	| { readonly kind: "spoken" }
	/** The model starts to work. */
	| { readonly kind: "begun" }
	/** A tool other than `workflow_step` succeeded. */
	| { readonly kind: "worked" }
	/** The calls of one message ended, refused ones included; `fingerprints` are those of the calls with their outcomes. */
	| { readonly kind: "called"; readonly fingerprints: readonly string[] }
	/** A request to the model starts. */
	| { readonly kind: "asked" }
	/**
	 * The model stopped before the run was finished. `patience`: reminders allowed in a row, and in one visit of a phase. `question`: the
	 * question at the end of its text.
	 */
	| {
			readonly kind: "stopped";
			readonly patience: { readonly row: number; readonly visit: number };
			readonly question?: string | undefined;
	  }
	/** The request to the model failed; `why` is the provider's error. */
	| { readonly kind: "failed"; readonly why: string };

/** How a visit of a phase ended. */
export type ExitKind = "next" | "loop" | "skip" | "back";

/** The visit that has just ended. */
export interface EndedVisit {
	readonly way: ExitKind;
	/** The summary of the model, or, in a phase that the user ended, what it said last. */
	readonly summary?: string | undefined;
	/** How the gate of the phase succeeded, in words. */
	readonly gate?: string | undefined;
	/** Set if the user ended the phase with `next`. */
	readonly by?: "person" | undefined;
}

export type WorkflowAction =
	/** Write the run to the session. */
	| { readonly kind: "persist"; readonly left: EndedVisit | undefined }
	/** The current phase has changed. */
	| { readonly kind: "moved"; readonly from: Position; readonly to: Position; readonly way: ExitKind }
	/** The run has ended. */
	| { readonly kind: "ended"; readonly how: "done" | "cancelled" }
	/** Ask the model to confirm. */
	| { readonly kind: "ask-cancel" }
	| { readonly kind: "paused"; readonly by: PauseCause; readonly why: string | undefined }
	/** The user resumed the run or answered its question. */
	| { readonly kind: "resumed" }
	/** The run waits for the user's answer. */
	| { readonly kind: "question"; readonly question: string }
	/** Remind the model: reminder `count` in a row, of at most `of`. `about`: of its open phase, or of how to ask the question it ended with. */
	| { readonly kind: "remind"; readonly about: "phase" | "question"; readonly count: number; readonly of: number }
	/** Warn the model that it is making no progress. */
	| { readonly kind: "nudge"; readonly text: string }
	/** The phase waits for the user: the model is not reminded. */
	| { readonly kind: "wait" }
	| { readonly kind: "reloaded" }
	/** The event was refused, and nothing changed. */
	| { readonly kind: "refused"; readonly refusal: WorkflowRefusal };

export type WorkflowRefusal =
	| { readonly kind: "ended" }
	/** The definition `missing` does not exist. */
	| { readonly kind: "stale"; readonly missing: string }
	| { readonly kind: "paused" }
	| { readonly kind: "not-paused" }
	| { readonly kind: "already-paused" }
	/** The model has asked the user and has no answer yet. */
	| { readonly kind: "asked" }
	/** The decision was made before the model read the current text of the current phase `phase`. */
	| { readonly kind: "earlier-visit"; readonly phase: string }
	/** Only the user ends the phase `phase`. */
	| { readonly kind: "person-decides"; readonly phase: string; readonly wanted: "next" | "cancel" }
	/** The scope with this name is not loopable. */
	| { readonly kind: "not-loopable"; readonly scope: string }
	| { readonly kind: "loops-used-up"; readonly scope: string; readonly max: number }
	/** There is no phase before the first. */
	| { readonly kind: "at-start" }
	/** `names`: the earlier phases, nearest first. */
	| { readonly kind: "no-earlier-phase"; readonly name: string; readonly names: readonly string[] }
	/** The new definitions no longer have the workflow or phase `id`. */
	| { readonly kind: "gone"; readonly what: "workflow" | "phase"; readonly id: string };
