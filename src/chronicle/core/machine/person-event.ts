// What a person can say to a run. An answer names in `answers` the `seq` of the event that it answers.
import type { Snapshot } from "../snapshot/index.ts";
import type { ParkCause } from "./decision-event.ts";

export type PersonEvent =
	| Approved
	| Rejected
	| Resumed
	| Released
	| LimitsChanged
	| ModelChanged
	| Told
	| PauseRequested
	| AbortRequested
	| Reopened
	| RewindRequested;

/** Where the run was when the person decided. Absent in events of earlier versions, which are judged by what they answer. */
export interface Seen {
	readonly visit: number;
	/** Absent where any attempt of the visit may be meant. */
	readonly attempt?: number;
}

export interface Approved {
	readonly kind: "approved";
	readonly answers: number;
	/** Tree that the person was shown. */
	readonly diff: string;
	readonly words?: string;
	readonly seen?: Seen;
}

export interface Rejected {
	readonly kind: "rejected";
	readonly answers: number;
	readonly words: string;
	readonly seen?: Seen;
}

export interface Resumed {
	readonly kind: "resumed";
	readonly answers: number;
	readonly words?: string;
	readonly seen?: Seen;
}

/** Out of `human_intervention`, or from any other wait to a state of the person's choice. */
export interface Released {
	readonly kind: "released";
	readonly answers: number;
	/** The state to go to; absent (only in `human_intervention`): let the refused move happen. */
	readonly to?: string;
	/** The run is over and has succeeded. */
	readonly done?: boolean;
	readonly words?: string;
	readonly seen?: Seen;
}

/** New ceilings in place of those named; the others stay. */
export interface LimitsChanged {
	readonly kind: "limits_changed";
	readonly limits: {
		readonly costUsd?: number;
		readonly tokens?: number;
		readonly activeMs?: number;
		readonly moves?: number;
	};
	/** The ceilings of this state instead of the run's. */
	readonly state?: string;
}

/** Another model for states that name none, from the next worker on. */
export interface ModelChanged {
	readonly kind: "model_changed";
	/** `provider/id`. */
	readonly model: string;
}

/** Words for the worker: at once if one lives, with the next one's first message otherwise. */
export interface Told {
	readonly kind: "told";
	readonly text: string;
	readonly seen?: Seen;
}

export interface PauseRequested {
	readonly kind: "pause_requested";
	readonly cause: ParkCause;
	readonly detail: string;
}

export interface AbortRequested {
	readonly kind: "abort_requested";
	readonly words?: string;
}

/** A finished run goes on in `to`. */
export interface Reopened {
	readonly kind: "reopened";
	/** `seq` of the event by which the run ended. */
	readonly answers: number;
	readonly to: string;
	readonly words?: string;
	readonly seen?: Seen;
}

/** Back to the start of visit `to`, files and all; with `kept`, to what was there when an earlier rewind took it away, in visit `to`. */
export interface RewindRequested {
	readonly kind: "rewind_requested";
	/** The visit that the run goes back to. */
	readonly to: number;
	readonly state: string;
	/** Files as they were then. */
	readonly tree: string;
	/** What was known then. */
	readonly snapshot: Snapshot;
	readonly pairMoves: Readonly<Record<string, number>>;
	/** `seq` of the event that kept that state. */
	readonly kept?: number;
	readonly seen?: Seen;
}
