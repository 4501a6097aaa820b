// What one session knows of sequences: the newest recording on its branch, and the run that is going through it.
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { customEntries, openInstances, openLetter, type StepEnd } from "../pi/index.ts";
import { readSnapshot, type SequenceSnapshot, snapshotType } from "./recorded.ts";
import type { KnownCommand, OwnCommand } from "./step.ts";

/** What a step has come to, and what it spent outside of the session, in USD. */
export interface StepOutcome {
	readonly end: StepEnd;
	readonly costUsd: number;
}

type LongCommand = "workflow" | "chronicle";

/** The package's commands as functions: the slash command and a step call the same ones. */
export type StepCommands = Readonly<
	Record<Exclude<OwnCommand, LongCommand>, (ctx: ExtensionContext, args: string) => Promise<StepEnd>>
> &
	Readonly<
		Record<LongCommand, (ctx: ExtensionCommandContext, args: string, signal: AbortSignal) => Promise<StepOutcome>>
	> & {
		/** Reads what the front matter of a template's or skill's file asks for; the function that does it, as when it is typed. */
		readonly readFrontMatter: (file: string) => Promise<(ctx: ExtensionContext) => Promise<void>>;
		/** What leaving this session would let go of: `the workflow "TDD" in the phase Red`. */
		readonly live: () => readonly string[];
	};

/** Shared by every session that a run goes through: plain switches, nothing bound to a session. */
export interface RunControl {
	/** Why the run must stop; set by Escape, by a ceiling, by leaving the session, or by the user's own session commands. */
	readonly stop: string | undefined;
	/** Stops the run; the first reason counts. */
	halt(reason: string): void;
	/** Aborts with `stop`. */
	readonly signal: AbortSignal;
	/** Stops when the step, or the iteration, that is on has come to its end. */
	after: "step" | "run" | undefined;
	/** The session is being left: the user has been told, and it can show nothing more. */
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

/** What the user was told when a run stopped. */
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
