// What one session knows of sequences: the newest recording on its branch, and the run that is going through it.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { customEntries, openInstances } from "../pi/index.ts";
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
	/** The runner itself is replacing the session: its shutdown is no reason to stop. */
	replacing: boolean;
}

export interface SequenceSession {
	readonly pi: ExtensionAPI;
	readonly commands: StepCommands;
	lastRecorded: SequenceSnapshot | undefined;
	activeRun: RunControl | undefined;
	recording: boolean;
	knownCommands(): KnownCommand[];
}

/** Sessions of this process, found again after a replacement. */
export const sequenceSessions = openInstances<SequenceSession>("sequence");

/** Reads the newest valid recording of the branch. */
export function readLastRecorded(ctx: ExtensionContext): SequenceSnapshot | undefined {
	for (const entry of customEntries(ctx.sessionManager, [snapshotType])) {
		const snapshot = readSnapshot(entry.data);
		if (snapshot !== undefined) return snapshot;
	}
	return undefined;
}
