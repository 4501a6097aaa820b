// A command on runs and templates: what it takes and how it is performed, for the command line and for pi alike. A command reads and writes
// through its project and its host; it never prints.

import { exitCodes } from "../../../pi/index.ts";
import type { Approver, Failure, ReadLedger, Run } from "../../core/index.ts";
import {
	exitCodeOfFailure,
	type Project,
	type RunDiff,
	type SupervisedRun,
	type SupervisionEnd,
} from "../../engine/index.ts";
import type { ListedCommand } from "../command-list.ts";
import type { ComplaintText } from "../text/index.ts";
import type { OptionKind, ParsedArguments } from "./arguments.ts";

export interface Command {
	readonly name: string;
	/** The arguments, for the usage line. */
	readonly takes: string;
	/** Paragraphs of its help. */
	readonly details: string;
	/** Exit codes, for its help. */
	readonly exits: string;
	/** Options that it takes everywhere, and those of the command line alone. */
	readonly options?: Readonly<Record<string, OptionKind>>;
	readonly shellOptions?: Readonly<Record<string, OptionKind>>;
	/** Lines of the help about both. */
	readonly optionsUsage?: string;
	/** Most names that it takes; any number where it is left out. */
	readonly most?: number;
	/** How many names precede the text for agents; `run`: an optional run. Without it there is no text. */
	readonly text?: number | "run";
	/** Whether it can start workers. */
	readonly needs: "pi" | "nothing";
	/** `none`: it works on no runs, so that an engine that is named does not concern it. */
	readonly runs?: "none";
	perform(call: CommandCall): Promise<CommandResponse>;
}

/** A command of another part of the house, loaded when it is used. */
export interface LazyCommand {
	readonly name: string;
	/** Description for the list of commands. */
	readonly about: string;
	load(): Promise<Command>;
}

export interface CommandCall {
	readonly project: Project;
	readonly parsed: ParsedArguments;
	/** The text for agents, as it was written. */
	readonly text: string;
	readonly host: CommandHost;
	/** Aborts when the command has to end early. */
	readonly signal: AbortSignal;
}

/** Where a command runs: the command line, or a session of pi. */
export interface CommandHost {
	/** Precedes every command that is printed: `pi-chronicle ` or `/chronicle `. */
	readonly prefix: string;
	/** Whether a question can be shown again on a screen. */
	readonly hasScreen: boolean;
	/** The command line that starts `template`, without a task. */
	startLine(template: string): string;
	/** What `help` lists instead of the commands of `/chronicle`. */
	readonly listed?: readonly ListedCommand[];
	/** Names that templates cannot be started by, where commands and templates share names. */
	readonly reserved?: ReadonlySet<string>;
	/** Runs that this process supervises, by id. */
	readonly supervised: ReadonlyMap<string, SupervisedRun>;
	/** Model for states that name none, as `provider/id`. */
	readonly model?: string | undefined;
	/** `called`: the user asked for the first question. */
	approver(project: Project, coming: "called" | "uncalled"): Approver;
	/** Asks before something is lost; absent if the user cannot be asked. */
	readonly confirm?: (question: Confirmation) => Promise<boolean>;
	/** Asks whether cleanup commands may run; absent if the user cannot be asked. `undefined`: start nothing. */
	readonly approveCleanup?: (name: string, commands: readonly string[]) => Promise<"approved" | "none" | undefined>;
	/** Whether the model may propose runs, in a session. `turn` resolves to whether it was done; if not, the user has been told why. */
	readonly proposals?: { readonly on: boolean; turn(on: boolean): Promise<boolean> };
	warn(text: string): void;
	/** Reports progress. */
	report(text: string): void;
	/** A run was created and is about to be supervised. */
	started(run: Run): void;
	/** Supervises a run. Resolves to its end, or to `undefined` where the host reports the end itself. */
	attend(project: Project, run: SupervisedRun): Promise<SupervisionEnd | undefined>;
}

export interface Confirmation {
	readonly title: string;
	readonly lines: readonly string[];
	/** The safe answer; it comes first. */
	readonly no: string;
	readonly yes: string;
	/** What Escape does: `Esc keeps`. */
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
	/** How a session shows it; as a message where it is left out. */
	readonly view?: View;
}

/** The host has already reported what happened. */
export interface CommandSilent {
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
	/** Usage where it is left out. */
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

export const interrupted: CommandResponse = { kind: "silent", exitCode: exitCodes.interrupted };
