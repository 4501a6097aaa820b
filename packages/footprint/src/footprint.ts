// The accesses, commands and changes of one tool call: data only.
// F1 everything that cannot be known is in `unknowns`, never omitted; F2 every path is absolute and lexically normalized.
import type { ChangeKind, Effect, unknownParts } from "./effects.ts";

/**
 * The kind of access to a path.
 * `read` its content · `list` its names or its existence · `write` create or change (including truncate) ·
 * `delete` remove or move away · `link` create another name for it.
 */
export type AccessKind = "read" | "list" | "write" | "delete" | "link";

export interface FileAccess {
	readonly kind: AccessKind;
	/** Absolute path as the call names it, after expansion (`~`, `@`, globs, `cd`, …). */
	readonly path: string;
	/** The same path with links followed as far as they exist: the real path of its deepest existing ancestor, plus the rest. */
	readonly real: string;
	/** Everything below `path` is accessed too, except what `only` and `skips` exclude. */
	readonly recursive: boolean;
	/** A `write` that discards all previous content: `>`, a copy onto it, a truncation. */
	readonly replaces?: true;
	/** A `write` that leaves the file empty, as far as is known. */
	readonly empties?: true;
	/**
	 * Limits a recursive access to files whose name (or path, if the glob contains `/`) matches one of these globs; a glob that starts with
	 * `!` excludes.
	 */
	readonly only?: readonly string[];
	/** Excludes from a recursive access: names that start with a dot, files that git ignores, does not track, or tracks. */
	readonly skips?: readonly ("hidden" | "ignored" | "untracked" | "tracked")[];
	/** The tool or the normalized simple command responsible, for messages. */
	readonly by: string;
}

/** A folder or file in which a command changes something, by its absolute normalized path and by its real path. */
export interface ChangedPlace {
	readonly path: string;
	readonly real: string;
}

export type ChangePlaces = { readonly [kind in ChangeKind]?: readonly ChangedPlace[] };

/** One simple command that would run, without its wrappers (`sudo`, `env`, `xargs`, …). */
export interface CommandRun {
	/** Base name of the program (`rm` for `/bin/rm`); `null` if it is unknown. */
	readonly program: string | null;
	/** Its arguments; `null` for each unknown one. */
	readonly args: readonly (string | null)[];
	/** The command in normalized spelling: words quoted only if needed, unknown words as `…`. */
	readonly text: string;
	/** The named harms of this command, without duplicates. */
	readonly effects: readonly Effect[];
	/** Changes beyond the paths in `accesses`. */
	readonly changes: readonly ChangeKind[];
	/** Where those changes take place, by kind. A kind without an entry may take place anywhere on the machine. */
	readonly places?: ChangePlaces;
	/** It runs on another machine or in a container, so its paths belong there and are not in `accesses`. */
	readonly elsewhere?: true;
}

export interface Unknown {
	/**
	 * The unknown part. `command`: the program that runs · `program`: the effect of a program outside the table · `operand`: the path that a
	 * known program accesses · `script`: the effect of the text that is run, or of code that an option or variable loads · `file`: that of a
	 * program file · `project`: the effect of the project's own tests,
	 * builds and tasks · `tool`: the effect of a tool outside the table · `syntax`: text that no shell accepts, or too much text to judge.
	 */
	readonly what: keyof typeof unknownParts;
	/** The unresolved text as written, at most 200 characters. */
	readonly text: string;
	/** The worst it could do; policies decide by this. */
	readonly may: readonly AccessKind[];
	/** For an operand: the absolute directory that its known part names (`src` in `src/$f`). The path may still leave it with `..`. */
	readonly under?: string;
	/** For an operand: the known end of its path (`.ssh/id_rsa` in `$x/.ssh/id_rsa`), whole segments only. */
	readonly tail?: string;
}

export interface Footprint {
	readonly tool: string;
	readonly accesses: readonly FileAccess[];
	readonly runs: readonly CommandRun[];
	readonly unknowns: readonly Unknown[];
	/** Names of the tools that the call passes on to, as its arguments give them: a gateway's inner calls. Each in every usual spelling. */
	readonly calls?: readonly string[];
}

/** An MCP server's claims about its tool: hints, never proof. */
export interface Annotations {
	readonly readOnlyHint?: boolean;
	readonly destructiveHint?: boolean;
}

/** The facts that a footprint reads from the machine that the call would run on. No method throws. Paths are absolute. */
export interface HostEnvironment {
	readonly cwd: string;
	readonly home: string;
	/** The operating system's folder for temporary files, absolute. */
	readonly temp: string;
	/** As `process.platform` of Node. */
	readonly platform: string;
	/** Text that no other call has: part of the names that `mktemp` makes, so that two calls never seem to share one. By default "". */
	readonly unique?: string;
	env(name: string): string | undefined;
	/** Whether a variable may have a different value when the command runs. The shell's own variables are known already. */
	isVolatile?(name: string): boolean;
	/** `undefined` if nothing exists there or it cannot be read. Does not follow links. */
	kind(path: string): "file" | "directory" | "link" | "other" | undefined;
	/** Real path of an existing file or directory; otherwise `undefined`. */
	realpath(path: string): string | undefined;
	/** The target of a symbolic link as stored; `undefined` if there is no link. */
	readlink(path: string): string | undefined;
	/** The text of a small file; `undefined` if there is none or it is not to be read. Absent: no file is read. */
	text?(path: string): string | undefined;
	/** Names in a directory; `undefined` if it cannot be listed. */
	names(path: string): readonly string[] | undefined;
	/** Home directory of a user of this machine; `undefined` if the user does not exist or is unknown. */
	homeOf(user: string): string | undefined;
}
