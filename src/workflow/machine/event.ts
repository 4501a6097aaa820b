// What can happen to a run, and what must be done about it. Data only. All times are ms since the epoch.
import type { Definitions, PauseCause, Position } from "./run.ts";

/** What the model decided: a decision counts for the visit in which it was made, not for the one in which it arrives. */
export interface ModelDecision {
	/** The assistant message that says so. */
	readonly message: string;
	/** The `step` of the visit that the model had read when it wrote the message; `undefined`: not the present one, as it is defined now. */
	readonly seen: number | undefined;
}

export type WorkflowEvent =
	/** The model says that the phase is finished. */
	| { readonly kind: "next"; readonly at: number; readonly decision: ModelDecision; readonly summary?: string }
	/** The model wants to start the innermost scope again. */
	| { readonly kind: "loop"; readonly at: number; readonly decision: ModelDecision; readonly summary?: string }
	/** The model wants to end the run before it is finished. */
	| { readonly kind: "cancel"; readonly at: number; readonly decision: ModelDecision }
	/** The model asks where it is. */
	| { readonly kind: "status" }
	/** A person ends the run. */
	| { readonly kind: "abandon"; readonly at: number }
	/** A person says that the phase is finished. */
	| { readonly kind: "advance"; readonly at: number }
	/** A person goes to the next phase without finishing this one. */
	| { readonly kind: "skip"; readonly at: number }
	/** A person goes to an earlier phase: the one before, or the nearest earlier one with this id or name. */
	| { readonly kind: "back"; readonly at: number; readonly to?: string }
	| { readonly kind: "pause"; readonly by: PauseCause; readonly why?: string }
	| { readonly kind: "resume" }
	/** Other definitions take the place of the pinned ones. */
	| { readonly kind: "reload"; readonly definitions: Definitions }
	/** A person has said something to the model. */
	| { readonly kind: "spoken" }
	/** The model begins to work. */
	| { readonly kind: "begun" }
	/** A tool other than `workflow_step` has done something. */
	| { readonly kind: "worked" }
	/** The calls of one message have ended, refused ones included; `fingerprints` with their outcomes. */
	| { readonly kind: "called"; readonly fingerprints: readonly string[] }
	/** The model is about to be asked for its next message. */
	| { readonly kind: "asked" }
	/** The model has stopped although the run is not finished. `patience`: reminders allowed in a row, and in one visit of a phase. */
	| { readonly kind: "stopped"; readonly patience: { readonly row: number; readonly visit: number } }
	/** The model could not go on: the provider's error, in words. */
	| { readonly kind: "failed"; readonly why: string };

/** How a phase was left. */
export type ExitKind = "next" | "loop" | "skip" | "back";

/** The visit of a phase that has just ended. */
export interface EndedVisit {
	readonly way: ExitKind;
	/** What the model said about it. */
	readonly summary: string | undefined;
	/** Who ended it, where the way leaves that open. */
	readonly by?: "person";
}

export type WorkflowAction =
	/** The run has to be kept in the session as it is now. */
	| { readonly kind: "persist"; readonly left: EndedVisit | undefined }
	/** Another phase is current. */
	| { readonly kind: "moved"; readonly from: Position; readonly to: Position; readonly way: ExitKind }
	/** The run is over. */
	| { readonly kind: "ended"; readonly how: "done" | "cancelled" }
	/** The model has to be asked whether it means it. */
	| { readonly kind: "ask-cancel" }
	| { readonly kind: "paused"; readonly by: PauseCause; readonly why: string | undefined }
	| { readonly kind: "resumed" }
	/** The model has to be told to go on; this is the `count`-th time in a row, of `of`. */
	| { readonly kind: "remind"; readonly count: number; readonly of: number }
	/** The model has to be told that it goes round. */
	| { readonly kind: "nudge"; readonly text: string }
	/** The phase waits for the person: it is not gone on with by itself. */
	| { readonly kind: "wait" }
	| { readonly kind: "reloaded" }
	/** Nothing was changed. */
	| { readonly kind: "refused"; readonly refusal: WorkflowRefusal };

export type WorkflowRefusal =
	| { readonly kind: "ended" }
	/** The definition `missing` is not to be found. */
	| { readonly kind: "stale"; readonly missing: string }
	| { readonly kind: "paused" }
	| { readonly kind: "not-paused" }
	| { readonly kind: "already-paused" }
	/** It was decided before the run came to where it is: in the phase called `phase`. */
	| { readonly kind: "earlier-visit"; readonly phase: string }
	/** Only a person ends the phase called `phase`. */
	| { readonly kind: "person-decides"; readonly phase: string; readonly wanted: "next" | "cancel" }
	/** The scope, by its name, may not be looped. */
	| { readonly kind: "not-loopable"; readonly scope: string }
	| { readonly kind: "loops-used-up"; readonly scope: string; readonly max: number }
	/** There is no phase before the first. */
	| { readonly kind: "at-start" }
	/** `names`: what can be named instead, nearest first. */
	| { readonly kind: "no-earlier-phase"; readonly name: string; readonly names: readonly string[] }
	/** The new definitions have no such place any more. */
	| { readonly kind: "gone"; readonly what: "workflow" | "phase"; readonly id: string };
