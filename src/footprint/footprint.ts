// What one tool call would access, run and change: data only.
// F1 what cannot be known is in `unknowns`, never left out; F2 every path is absolute and lexically normal.
import type { ChangeKind, Effect } from "./effects.ts";

/**
 * What is done to a path.
 * `read` its content · `list` its names or its existence · `write` create or change (a truncation too) ·
 * `delete` remove or move away · `link` make another name for it.
 */
export type AccessKind = "read" | "list" | "write" | "delete" | "link";

export interface FileAccess {
	readonly kind: AccessKind;
	/** Absolute path as the call names it, after expansion (`~`, `@`, globs, `cd`, …). */
	readonly path: string;
	/** The same place with links followed as far as they exist: the real path of its deepest existing ancestor, plus the rest. */
	readonly real: string;
	/** Everything below `path` is accessed as well, except what `only` and `skips` leave out. */
	readonly recursive: boolean;
	/** A `write` after which nothing is left of the content that was there: `>`, a copy onto it, a truncation. */
	readonly replaces?: true;
	/** A `write` that puts nothing there, as far as is known. */
	readonly empties?: true;
	/** Of what is below, only files whose name (or, with a `/`, path) matches one of these globs; one that starts with `!` leaves out. */
	readonly only?: readonly string[];
	/** Of what is below, this is passed over: names that start with a dot, what git ignores, what git does not track, what it does. */
	readonly skips?: readonly ("hidden" | "ignored" | "untracked" | "tracked")[];
	/** The tool or the normalized simple command that does it, for messages. */
	readonly by: string;
}

/** One simple command that would run, wrappers (`sudo`, `env`, `xargs`, …) taken off. */
export interface CommandRun {
	/** Base name of the program (`rm` for `/bin/rm`), `null` where the command word is unknown. */
	readonly program: string | null;
	/** The words after it; `null` where one is unknown. */
	readonly args: readonly (string | null)[];
	/** The command in normal spelling, words quoted only where needed, unknown words as `…`. */
	readonly text: string;
	/** The named harms of this command, each once. */
	readonly effects: readonly Effect[];
	/** What it changes besides the paths in `accesses`. */
	readonly changes: readonly ChangeKind[];
	/** It runs on another machine or in a container: its paths are not this machine's and are not in `accesses`. */
	readonly elsewhere?: true;
}

export interface Unknown {
	/**
	 * `command` which program runs · `program` what a program does that is not in the table · `operand` which path a known program
	 * accesses · `script` what the text or file does that is run · `project` what the project's own tests, builds and tasks do ·
	 * `tool` what a tool outside the table does · `syntax` text that no shell would accept, or too much of it to judge.
	 */
	readonly what: "command" | "program" | "operand" | "script" | "project" | "tool" | "syntax";
	/** The text that cannot be resolved, as written, at most 200 characters. */
	readonly text: string;
	/** What it could do at worst; a policy decides with this. */
	readonly may: readonly AccessKind[];
	/** An operand: the directory that it is below as far as its words tell (`src` of `src/$f`), absolute. It may still climb out with `..`. */
	readonly under?: string;
	/** An operand: the known end of its path (`.ssh/id_rsa` of `$x/.ssh/id_rsa`), whole segments only. */
	readonly tail?: string;
}

export interface Footprint {
	readonly tool: string;
	readonly accesses: readonly FileAccess[];
	readonly runs: readonly CommandRun[];
	readonly unknowns: readonly Unknown[];
}

/** What an MCP server says of its tool: hints, never proof. */
export interface Annotations {
	readonly readOnlyHint?: boolean;
	readonly destructiveHint?: boolean;
}

/** What a footprint asks of the machine that the call would run on. No method throws. Paths are absolute. */
export interface HostEnvironment {
	readonly cwd: string;
	readonly home: string;
	/** The operating system's folder for temporary files, absolute. */
	readonly temp: string;
	readonly platform: NodeJS.Platform;
	env(name: string): string | undefined;
	/** Whether a variable may have another value once the command runs; those of the shell itself are known. */
	isVolatile?(name: string): boolean;
	/** `undefined` where nothing is there or it cannot be looked at. Links are not followed. */
	kind(path: string): "file" | "directory" | "link" | "other" | undefined;
	/** Real path of something that exists, else `undefined`. */
	realpath(path: string): string | undefined;
	/** What a symbolic link says, as written in it; `undefined` where there is none. */
	readlink(path: string): string | undefined;
	/** Names in a directory, else `undefined`. */
	names(path: string): readonly string[] | undefined;
	/** Home directory of a user of this machine, `undefined` where there is no such user or it is unknown. */
	homeOf(user: string): string | undefined;
}
