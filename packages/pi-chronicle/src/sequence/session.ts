// One session's state for sequences: the newest recording on its branch, and the run in progress.
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { customEntries, openInstances, openReloadSlot, type StepEnd } from "../pi/index.ts";
import { readSnapshot, type SequenceSnapshot, snapshotType } from "./recorded.ts";
import type { KnownCommand, OwnCommand } from "./step.ts";

/** The end of a step and its cost outside the session, in USD. */
interface StepOutcome {
	readonly end: StepEnd;
	readonly costUsd: number;
}

type LongCommand = "workflow" | "chronicle";

/** The package's commands as functions, shared by the slash commands and the steps. */
export type StepCommands = Readonly<
	Record<Exclude<OwnCommand, LongCommand>, (ctx: ExtensionContext, args: string) => Promise<StepEnd>>
> &
	Readonly<
		Record<LongCommand, (ctx: ExtensionCommandContext, args: string, signal: AbortSignal) => Promise<StepOutcome>>
	> & {
		/**
		 * Reads the request in the front matter of a template or skill file. Returns the function that applies it, as when the file is invoked
		 * by typing.
		 */
		readonly readFrontMatter: (file: string) => Promise<(ctx: ExtensionContext) => Promise<void>>;
		/** Runs a shell command under the session's rules; `how` is a verb phrase. */
		readonly test: (
			ctx: ExtensionContext,
			command: string,
			signal: AbortSignal,
		) => Promise<{ readonly kind: "passed" } | { readonly kind: "failed"; readonly how: string }>;
		/** The live work that leaving this session would abandon: `the workflow "TDD" in the phase Red`. */
		readonly live: () => readonly string[];
	};

/** Control of a run, shared by all its sessions: plain switches, not bound to a session. */
export interface RunControl {
	/** Why the run must stop: Escape, a ceiling, leaving the session, or the user's own session commands. */
	readonly stop: string | undefined;
	/** Stops the run; the first reason counts. */
	halt(reason: string): void;
	/** Aborts with `stop`. */
	readonly signal: AbortSignal;
	/** Stops after the current step or iteration. */
	after: "step" | "run" | undefined;
	/** The session is being left: the user has seen the notice, and the session can show nothing more. */
	left: boolean;
}

/** Opens the switches of one run. */
export function openControl(): RunControl {
	const halted = new AbortController();
	let stop: string | undefined;
	return {
		get stop() {
			return stop;
		},
		halt(reason) {
			stop ??= reason;
			halted.abort();
		},
		signal: halted.signal,
		after: undefined,
		left: false,
	};
}

/** The notice that the user saw when a run stopped. */
interface StopNotice {
	readonly text: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
}

export interface SequenceSession {
	readonly pi: ExtensionAPI;
	readonly commands: StepCommands;
	lastRecorded: SequenceSnapshot | undefined;
	/** Set while an iteration runs in this session, but not while the runner itself replaces the session. */
	activeRun: RunControl | undefined;
	lastStop: StopNotice | undefined;
	recording: boolean;
	knownCommands(): KnownCommand[];
}

/** Key of the status line while recording and while running. */
export const statusKey = "chronicle-sequence";

/** Sessions of this process, for lookup after a replacement. */
export const sequenceSessions = openInstances<SequenceSession>("sequence");

/** The notice of a run that stopped because its session was left; the next session shows it. */
export const farewell = openReloadSlot("sequence");

/** Reads the newest valid recording of the branch. */
export function readLastRecorded(ctx: ExtensionContext): SequenceSnapshot | undefined {
	for (const entry of customEntries(ctx.sessionManager, [snapshotType])) {
		const snapshot = readSnapshot(entry.data);
		if (snapshot !== undefined) return snapshot;
	}
	return undefined;
}
