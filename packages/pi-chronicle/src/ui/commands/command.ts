// A command on runs and templates: its arguments and its implementation, for the command line and for pi. A command reads and writes through its
// project and its host; it never prints.

import type { Run } from "@pi-chronicle/core/machine";
import type { Approver, Containment, Failure, ReadLedger } from "@pi-chronicle/core/ports";
import {
	exitCodeOfFailure,
	type Project,
	type RunDiff,
	type SupervisedRun,
	type SupervisionEnd,
} from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import type { ListedCommand } from "../command-list.ts";
import type { ComplaintText } from "../phrases/index.ts";
import type { ParsedArguments } from "./arguments.ts";
import type { Supervisors } from "./delivery.ts";

/** The option of the command line to leave a run that waits for its provider. */
export const NO_WAIT = "no-wait";
export const noWaitUsage = `  --${NO_WAIT}       if the provider fails, leave the run waiting and end with code 3\n`;

export interface Command {
	readonly name: string;
	/** The arguments, for the usage line. */
	readonly takes: string;
	/** Paragraphs of its help. */
	readonly details: string;
	readonly exits: string;
	/** Help lines about its options everywhere, and about those only on the command line. */
	readonly options?: string;
	readonly shellOptions?: string;
	/** Maximum number of names; absent: any number. */
	readonly maxNames?: number;
	/** Number of names before the text for agents; `run`: an optional run; `definition`: one, with its kind or without. Absent: there is no text. */
	readonly text?: number | "run" | "definition";
	/** Whether it can start workers. */
	readonly needs: "pi" | "nothing";
	/** `none`: it does not work on runs, so it ignores `--engine`. */
	readonly runs?: "none";
	perform(call: CommandCall): Promise<CommandResponse>;
}

/** A command of another feature, loaded on first use. */
export interface LazyCommand {
	readonly name: string;
	/** Description for the list of commands. */
	readonly about: string;
	load(): Promise<Command>;
}

export interface CommandCall {
	readonly project: Project;
	readonly parsed: ParsedArguments;
	/** The text for agents, as typed. */
	readonly text: string;
	readonly host: CommandHost;
	/** Aborts to end the command early. */
	readonly signal: AbortSignal;
}

/** The host of a command: the command line, or a session of pi. */
export interface CommandHost {
	/** Where its commands are given, as the user's events record it: `pi`, `the command line`, a page. */
	readonly via: string;
	/** Precedes every printed command: `pi-chronicle ` or `/chronicle `. */
	readonly prefix: string;
	/** Whether a question can be shown again on a screen. */
	readonly hasScreen: boolean;
	startLine(template: string): string;
	/** The list of `help`, instead of the commands of `/chronicle`. */
	readonly listed?: readonly ListedCommand[];
	/** Names reserved for commands: templates with these names cannot start by name alone. */
	readonly reserved?: ReadonlySet<string>;
	/** Set if this process supervises no run: other processes do. */
	readonly supervisors?: Supervisors;
	/** Runs that this process supervises, by id. */
	readonly supervised: ReadonlyMap<string, SupervisedRun>;
	/** Adds text to the conversation of the session, marked as not the user's. Absent: there is no conversation. */
	readonly quote?: (text: string) => void;
	/** Model for states that name none, as `provider/id`. */
	readonly model?: string | undefined;
	/** `called`: the user asked for the first question. */
	approver(project: Project, coming: "called" | "uncalled"): Approver;
	/** Asks before data is lost; absent if the user cannot be asked. */
	readonly confirm?: (question: Confirmation) => Promise<boolean>;
	/** Asks whether cleanup commands may run; absent if the user cannot be asked. `undefined`: start nothing. */
	readonly approveCleanup?: (name: string, commands: readonly string[]) => Promise<"approved" | "none" | undefined>;
	/** Asks where a run works while others, `neighbours`, are at work in the project's folder; absent if the user cannot be asked. */
	readonly chooseFolder?: (name: string, neighbours: readonly string[]) => Promise<"apart" | "here" | "nowhere">;
	/** Asks for the command of the project's tests; absent if the user cannot be asked. `undefined` or empty: it stays unknown. */
	readonly askTests?: () => Promise<string | undefined>;
	/** Whether the model may propose runs, in a session. `turn` resolves to whether it was switched; if not, the user has been notified. */
	readonly proposals?: { readonly on: boolean; turn(on: boolean): Promise<boolean> };
	warn(text: string): void;
	report(text: string): void;
	/** A run was created and is about to be supervised. */
	started(run: Run): void;
	/** How the commands of the run's workers are contained. */
	contained(how: Containment): void;
	/** Supervises a run. Resolves to its end, or to `undefined` if the host reports the end itself. */
	attend(project: Project, run: SupervisedRun): Promise<SupervisionEnd | undefined>;
}

export interface Confirmation {
	readonly title: string;
	readonly lines: readonly string[];
	/** The safe answer; it comes first. */
	readonly no: string;
	readonly yes: string;
	/** Label for the effect of Escape: `Esc keeps`. */
	readonly leave: string;
}

export type CommandResponse = CommandDone | ({ readonly kind: "refused" } & Complaint) | CommandSilent;

export interface CommandDone {
	readonly kind: "done";
	/** For users. */
	readonly lines: readonly string[];
	/** The same for `--json`. */
	readonly data: object;
	readonly exitCode?: number;
	/** Shown in a session instead of the lines; empty: nothing. */
	readonly notice?: { readonly text: string; readonly tone: "info" | "warning" };
	/** How a session shows it; absent: as a message. */
	readonly view?: View;
	/** Id of a run that the hosts of an engine continue because of the command. */
	readonly follow?: string;
}

/** The host has already reported the result. */
interface CommandSilent {
	readonly kind: "silent";
	readonly exitCode: number;
}

export type View =
	| { readonly kind: "page"; readonly title: string }
	/** The lines are Mermaid text; `notes` are shown below the drawing. */
	| { readonly kind: "diagram"; readonly title: string; readonly notes: readonly string[] }
	| { readonly kind: "patch"; readonly title: string; readonly diff: RunDiff }
	| { readonly kind: "run"; readonly read: ReadLedger; readonly supervised: SupervisedRun | undefined };

export interface Complaint extends ComplaintText {
	/** Short stable name. */
	readonly code: string;
	/** Absent: usage. */
	readonly exitCode?: number;
	/** Id of the run that refused the command. */
	readonly run?: string;
}

export function refused(complaint: Complaint): CommandResponse {
	return { kind: "refused", ...complaint };
}

/** Wrong arguments. */
export function misuse(message: string): CommandResponse {
	return refused({ code: "usage", message });
}

/** A record that cannot be read or written. */
export function failed(failure: Failure, exitCode = exitCodeOfFailure(failure)): CommandResponse {
	return refused({ code: failure.reason, ...failure, exitCode });
}

/** An engine that cannot be used. */
export function engineComplaint(failure: Failure): Complaint {
	const { reason: code } = failure;
	const exitCode = code === "usage" || code === "unknown" ? exitCodes.usage : exitCodes.failed;
	return { code, ...failure, exitCode };
}

export const interrupted: CommandResponse = { kind: "silent", exitCode: exitCodes.interrupted };
