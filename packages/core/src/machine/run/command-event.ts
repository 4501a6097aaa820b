// Events about commands: the one that does a state, whose intent is `attempt_reserved` as for a worker, and those for cleanup.
import type { LaunchId } from "./launch.ts";

export type CommandEvent = CommandStarted | CommandEnded;

/** The command is about to start: from here on its outcome is unknown until `command_ended`. */
export interface CommandStarted extends LaunchId {
	readonly kind: "command_started";
	/** Its text, redacted. */
	readonly command: string;
	/** Path of the file with its whole output, redacted; written while it runs. */
	readonly file: string;
}

/** The command of the state ended. */
export interface CommandEnded extends LaunchId {
	readonly kind: "command_ended";
	/** Its text, redacted; absent: that of the template. */
	readonly command?: string;
	readonly result: CommandResult;
	/** Milliseconds that it ran. */
	readonly ms: number;
	/** Bytes of its output. */
	readonly bytes: number;
	/** The end of its output, redacted, bounded; absent: it printed nothing. */
	readonly output?: string;
	/** Its output is longer than what is kept here. */
	readonly isCut?: true;
	/** Fingerprint of its output without times and durations; absent: there is no output. */
	readonly print?: string;
	/** The data that it printed, which matches the `output` schema of the state. */
	readonly data?: unknown;
	/** Why there is no data, one sentence each, bounded; absent: none is expected, or it is there. */
	readonly problems?: readonly string[];
}

export type CommandResult =
	| { readonly kind: "exited"; readonly code: number }
	/** `code`: 128 and the number of the signal, as shells report it. */
	| { readonly kind: "killed"; readonly signal: string; readonly code: number }
	| { readonly kind: "timed_out" }
	| { readonly kind: "unstarted"; readonly detail: string }
	/** It was not approved, or a rule forbids it. */
	| { readonly kind: "refused"; readonly detail: string }
	/** Its supervisor stopped it. */
	| { readonly kind: "stopped" }
	/** Its supervisor died while it ran; it has been stopped if it was still running. */
	| { readonly kind: "lost" };

/** How the command of a state failed last. */
export interface CommandFailure {
	readonly state: string;
	/** Of the exit code, the output without times, and the files. */
	readonly fingerprint: string;
	/** How often in a row. */
	readonly count: number;
}

/** A cleanup command ran, or was refused. */
export interface CleanupEnded {
	readonly kind: "cleanup_ended";
	readonly visit: number;
	/** Index in the state's cleanup list, from 0. */
	readonly index: number;
	readonly result:
		| { readonly kind: "exited"; readonly code: number }
		| { readonly kind: "killed"; readonly signal: string }
		| { readonly kind: "timed_out" }
		| { readonly kind: "unstarted"; readonly detail: string }
		/** The command was not approved, or a rule forbids it. */
		| { readonly kind: "refused"; readonly detail: string };
	/** Tail of its output, redacted. */
	readonly output?: string;
}
