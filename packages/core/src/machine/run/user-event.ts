// Events from the user. `answers` is the `seq` of the event that an answer responds to.

import type { Snapshot } from "../../snapshot/index.ts";
import type { Ceilings } from "./ceilings.ts";
import type { ConflictChoice, PinnedTemplate } from "./child-run.ts";
import type { ParkCause } from "./decision-event.ts";
import type { RunDecision } from "./run-decision.ts";

/** Who has sent an event. */
interface Sent {
	/** On an engine: the database login that has sent it, as the database knows it. Absent: this machine's user, or an earlier version. */
	readonly by?: string;
	/** Where it was sent from, as the sender says: `pi`, `the command line`, `the page (phone, 192.168.1.20)`. Absent in events of earlier versions. */
	readonly via?: string;
}

export type UserEvent = Sent & UserCommand;

type UserCommand =
	| AskAnswered
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
	| RewindRequested
	| ChildSignaled
	| ChildDropped
	| JoinRequested
	| CopyTaken
	| CopyDiscarded
	| DecisionInherited;

/** The template of a run, with those of its children, as it was when the run started or was reloaded. */
export interface RunTemplate extends PinnedTemplate {
	readonly name: string;
	/** Definitions of all templates that its children run, by name. */
	readonly children?: Readonly<Record<string, PinnedTemplate>>;
	/** Personas without a tool that can change files. */
	readonly readOnlyAgents?: readonly string[];
}

/** The run's template as edited by the user: the run continues with it, and its past does not change. */
export interface TemplateReload {
	readonly template: RunTemplate;
	/** Hash of the approved cleanup commands; absent: none run. */
	readonly cleanupApproval?: string;
}

/** The position of the run when the user decided. Absent in events from earlier versions, which are matched by `answers` only. */
export interface Seen {
	readonly visit: number;
	/** Absent: any attempt of the visit. */
	readonly attempt?: number;
}

/** An answer of the user. */
interface AnswerEvent {
	/** `seq` of the event that it answers. */
	readonly answers: number;
	readonly words?: string;
	readonly seen?: Seen;
}

/** The user approved. */
export interface Approved extends AnswerEvent {
	readonly kind: "approved";
	/** Tree that was shown to the user. */
	readonly diff: string;
	/** The answer to a question about conflicts. */
	readonly choice?: ConflictChoice;
	/** With the choice `hand` on an engine: the tree with the resolved files, on the git remote. */
	readonly resolved?: string;
	/** Name of the child to take, whichever the worker has named (`take: one`). */
	readonly winner?: string;
}

/** The user rejected, with a message. */
export interface Rejected extends AnswerEvent {
	readonly kind: "rejected";
	readonly words: string;
}

/** The user resumed a paused run. */
export interface Resumed extends AnswerEvent {
	readonly kind: "resumed";
	readonly reload?: TemplateReload;
	/** The visit may continue although another branch is checked out than at its start. */
	readonly otherBranch?: true;
}

/** The user ends a wait in `human_intervention`, or any other wait by moving to a state of the user's choice. */
export interface Released extends AnswerEvent {
	readonly kind: "released";
	/** Target state; absent (only in `human_intervention`): make the refused move. */
	readonly to?: string;
	/** Finishes the run as `done`. */
	readonly done?: boolean;
}

/** The user replaces the named limits; the others stay. */
export interface LimitsChanged {
	readonly kind: "limits_changed";
	readonly limits: Ceilings;
	/** The state that the limits apply to; absent: the run. */
	readonly state?: string;
}

/** The user changes the model for states without their own, from the next worker on. */
export interface ModelChanged {
	readonly kind: "model_changed";
	/** `provider/id`. */
	readonly model: string;
}

/** The question was answered, or dropped. */
export interface AskAnswered {
	readonly kind: "ask_answered";
	/** `seq` of its `ask_opened`. */
	readonly answers: number;
	readonly verdict: "allowed" | "denied" | "answered" | "unanswered";
	/** The answer to a question of `ask_user`. */
	readonly words?: string;
}

/** A message of the user for the worker: delivered immediately if one is running, otherwise with the next worker's first message. */
export interface Told {
	readonly kind: "told";
	readonly text: string;
	readonly seen?: Seen;
}

/** A pause was requested. */
export interface PauseRequested {
	readonly kind: "pause_requested";
	readonly cause: ParkCause;
	readonly detail: string;
}

/** The user aborts the run, or its parent run stops it. */
export interface AbortRequested {
	readonly kind: "abort_requested";
	readonly words?: string;
	/** Why the parent run stops this one: the user has decided nothing here. Absent: the user aborts it. */
	readonly byParent?: string;
}

/** The user continues a finished run in `to`. */
export interface Reopened extends AnswerEvent {
	readonly kind: "reopened";
	readonly to: string;
}

/** The user returns run and files to the start of visit `to`; with `kept`, to visit `to` as it was before an earlier rewind. */
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
	/** Used from the rewind on. */
	readonly reload?: TemplateReload;
	readonly seen?: Seen;
}

/** A command of the user waits in the child's inbox. */
export interface ChildSignaled {
	readonly kind: "child_signaled";
	readonly child: string;
}

/** The run continues without the child. */
export interface ChildDropped {
	readonly kind: "child_dropped";
	readonly child: string;
	/** A child that waits is ended first, and this run keeps what it knows. Absent in ledgers of earlier versions, which kept nothing of it. */
	readonly ends?: true;
}

/** The user has decided this in a parent run, after this run began. */
export interface DecisionInherited {
	readonly kind: "decision_inherited";
	/** As the parent has recorded it. */
	readonly decision: RunDecision;
}

/** The files of a run that worked in a copy of the project are joined into the project. */
export interface JoinRequested {
	readonly kind: "join_requested";
	/** `seq` of the event that ended the run. */
	readonly answers: number;
	/** They are joined although another branch is checked out than when the run began. */
	readonly otherBranch?: true;
}

/** A branch or a patch was made of the files of a run that worked in a copy of the project. */
export interface CopyTaken {
	readonly kind: "copy_taken";
	readonly answers: number;
	readonly as: "branch" | "patch";
	/** Of the branch, or the path of the patch. */
	readonly name: string;
}

/** The copy of the project that the run worked in is given up. */
export interface CopyDiscarded {
	readonly kind: "copy_discarded";
	readonly answers: number;
}
