// What one tool call would touch: data only. Computed once per call, before it runs, and judged by every policy.
// F1 what cannot be known is in `unknowns`, never left out; F2 every path is absolute and lexically normal.

/**
 * What is done to a path.
 * `read` its content · `list` its names or its existence · `write` create or change (a truncation too) ·
 * `delete` remove or move away · `link` make another name for it.
 */
export type Access = "read" | "list" | "write" | "delete" | "link";

export interface Touch {
	readonly access: Access;
	/** Absolute path as the call names it, after expansion (`~`, `@`, globs, `cd`, …). */
	readonly path: string;
	/** The same place with links followed as far as they exist: the real path of its deepest existing ancestor, plus the rest. */
	readonly real: string;
	/** Everything below `path` is touched as well. */
	readonly recursive: boolean;
	/** The tool or the normalised simple command that does it, for reasons shown to people. */
	readonly by: string;
}

/** One simple command that would run, wrappers (`sudo`, `env`, `xargs`, …) taken off. */
export interface Run {
	/** Base name of the program (`rm` for `/bin/rm`), `null` where the command word is unknown. */
	readonly program: string | null;
	/** The words after it; `null` where one is unknown. */
	readonly args: readonly (string | null)[];
	/** The command in normal spelling, words quoted only where needed, unknown words as `$?`. */
	readonly text: string;
}

export interface Unknown {
	readonly what: "command" | "operand" | "script" | "tool" | "syntax";
	/** The text that cannot be resolved, as written, at most 200 characters. */
	readonly text: string;
	/** What it could do at worst; a policy decides with this. */
	readonly may: readonly Access[];
}

export interface Footprint {
	readonly tool: string;
	readonly touches: readonly Touch[];
	readonly runs: readonly Run[];
	readonly unknowns: readonly Unknown[];
}

/** The questions a footprint asks of the disk and the environment; tests replace it. No call throws. */
export interface Surroundings {
	readonly cwd: string;
	readonly home: string;
	readonly platform: NodeJS.Platform;
	env(name: string): string | undefined;
	/** `undefined` where nothing is there or it cannot be looked at. Links are not followed. */
	kind(path: string): "file" | "directory" | "link" | "other" | undefined;
	/** Real path of something that exists, else `undefined`. */
	realpath(path: string): string | undefined;
	/** Names in a directory, else `undefined`. */
	names(path: string): readonly string[] | undefined;
}
