// A person's events. An answer names in `answers` the `seq` of the event that it answers.
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

/** Where the run was when the person decided. Absent in events of earlier versions, which are judged by `answers` alone. */
export interface Seen {
	readonly visit: number;
	/** Absent: any attempt of the visit. */
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

/** Ends the wait in `human_intervention`, or any other wait by a move to a state of the person's choice. */
export interface Released {
	readonly kind: "released";
	readonly answers: number;
	/** The state to go to; absent (only in `human_intervention`): make the refused move. */
	readonly to?: string;
	/** The run is over and has succeeded. */
	readonly done?: boolean;
	readonly words?: string;
	readonly seen?: Seen;
}

/** Replaces the named ceilings; the others stay. */
export interface LimitsChanged {
	readonly kind: "limits_changed";
	readonly limits: {
		readonly costUsd?: number;
		readonly tokens?: number;
		readonly activeMs?: number;
		readonly moves?: number;
	};
	/** The state whose ceilings these are; absent: the run's. */
	readonly state?: string;
}

/** Changes the model of states that name none, from the next worker on. */
export interface ModelChanged {
	readonly kind: "model_changed";
	/** `provider/id`. */
	readonly model: string;
}

/** A message for the worker: delivered at once if one is running, otherwise with the next one's first message. */
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

/** A finished run continues in `to`. */
export interface Reopened {
	readonly kind: "reopened";
	/** `seq` of the event by which the run ended. */
	readonly answers: number;
	readonly to: string;
	readonly words?: string;
	readonly seen?: Seen;
}

/** Back to the start of visit `to`, files included; with `kept`, back to visit `to` as it was before an earlier rewind. */
export interface RewindRequested {
	readonly kind: "rewind_requested";
	/** The visit to return to. */
	readonly to: number;
	readonly state: string;
	/** The files at that time. */
	readonly tree: string;
	/** The snapshot at that time. */
	readonly snapshot: Snapshot;
	readonly pairMoves: Readonly<Record<string, number>>;
	/** `seq` of the event that kept that state; absent: the start of a visit. */
	readonly kept?: number;
	readonly seen?: Seen;
}
