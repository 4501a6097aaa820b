// What one session knows of sequences: the newest recording on its branch, and the run that is going through it.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { customEntries, openInstances, openLetter } from "../pi/index.ts";
import { readSnapshot, type SequenceSnapshot, snapshotType } from "./recorded.ts";
import type { KnownCommand, OwnCommand } from "./step.ts";

/** The package's commands as functions: the slash command and a step call the same ones. */
export type StepCommands = Readonly<Record<OwnCommand, (ctx: ExtensionContext, args: string) => Promise<StepEnd>>> & {
	/** Does what the front matter of a template's or skill's file asks for, as when it is typed. */
	readonly followFrontMatter: (ctx: ExtensionContext, file: string) => Promise<void>;
};

/** How a step ended. */
export type StepEnd =
	| { readonly kind: "completed" }
	| { readonly kind: "aborted" }
	| { readonly kind: "failed"; readonly reason: string };

/** Shared by every session that a run goes through: plain switches, nothing bound to a session. */
export interface RunControl {
	/** Why the run must stop; set by Escape, by leaving the session, or by the person's own session commands. */
	stop: string | undefined;
	/** The session is being left: the person has been told, and it can show nothing more. */
	left: boolean;
}

/** What the person was told when a run stopped. */
export interface StopNotice {
	readonly text: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
}

export interface SequenceSession {
	readonly pi: ExtensionAPI;
	readonly commands: StepCommands;
	lastRecorded: SequenceSnapshot | undefined;
	/** While an iteration runs in this session; not while the runner itself replaces it. */
	activeRun: RunControl | undefined;
	lastStop: StopNotice | undefined;
	recording: boolean;
	knownCommands(): KnownCommand[];
}

/** Key of the status line, while recording and while running. */
export const statusKey = "chronicle-sequence";

/** Sessions of this process, found again after a replacement. */
export const sequenceSessions = openInstances<SequenceSession>("sequence");

/** The notice of a run that was stopped by leaving its session, for the next one to show. */
export const farewell = openLetter("sequence");

/** Reads the newest valid recording of the branch. */
export function readLastRecorded(ctx: ExtensionContext): SequenceSnapshot | undefined {
	for (const entry of customEntries(ctx.sessionManager, [snapshotType])) {
		const snapshot = readSnapshot(entry.data);
		if (snapshot !== undefined) return snapshot;
	}
	return undefined;
}
