// How a program is described: data that a person can read and extend. What the roles mean is carried out in `../shell/call.ts`.
// Spellings are those of the manual page, several separated by blanks: "-t --target-directory".
import type { ChangeKind, Effect } from "../effects.ts";
import type { AccessKind, Unknown } from "../footprint.ts";
import type { AccessDetail } from "../record.ts";

/** What a word of a command stands for. */
export type Role =
	/** No path: a number, a pattern, a name. */
	| "text"
	/** A path whose content is read. */
	| "read"
	/** A path whose existence, names or attributes are looked at. */
	| "list"
	/** A file that is changed in place or added to. */
	| "write"
	/** A file that is written anew: what was in it is gone. */
	| "replace"
	/** A directory or empty file that is made; what exists stays as it is. */
	| "make"
	/** A path that is removed. */
	| "delete"
	/** A path that is moved away: with everything in it. */
	| "move"
	/** Where the other operands are copied or moved to: a new name, or a directory that they land in. */
	| "into"
	/** A path that gets another name. */
	| "link"
	/** A directory that the words after it are relative to. */
	| "directory"
	/** A file or directory that is read, or shell text where it is known by `stdin`. */
	| "run"
	/** The first word of another command; all words after it belong to that command. */
	| "command"
	/** Shell text that is run. */
	| "script"
	/** Program text in another language that is run. */
	| "code"
	/** A URL or host on another machine. */
	| "remote";

/** Roles by position: those of the first operands, then of the last one, then of all between. */
export interface Positions {
	readonly first?: readonly Role[];
	readonly last?: Role;
	readonly rest?: Role;
}

/** What a command does, as far as its words tell. */
export interface Behavior {
	readonly operands?: Role | Positions;
	/** Touches reach into directories. */
	readonly recursive?: boolean;
	/** Touches of its operands pass these over. */
	readonly skips?: AccessDetail["skips"];
	readonly effects?: readonly Effect[];
	readonly changes?: readonly ChangeKind[];
	/** What it does beyond its operands cannot be told from its words. */
	readonly opaque?: Extract<Unknown["what"], "script" | "project" | "program">;
	/** Without operands it works on the current directory, in this role. */
	readonly defaultRole?: Role;
	/** An option that makes the command only look (`--dry-run`, `--list`): effects, changes and `opaque` fall away. */
	readonly harmless?: true;
	/** An option that makes the command leave files as they are: `changes` fall away. */
	readonly unchanged?: true;
}

export interface ProgramSpec extends Behavior {
	/** Options that take a value, with the value's role. */
	readonly options?: { readonly [spelling: string]: Role };
	/** Options whose value, if any, is attached (`-i.bak`, `--color=auto`): the next word is none. */
	readonly attached?: string;
	/** Options without a value that would pass for an abbreviation of another one. */
	readonly flags?: string;
	/** Long options may be cut short (`--rec` for `--recursive`), as GNU's and git's may. */
	readonly abbreviates?: true;
	/** What an option adds or replaces. */
	readonly when?: { readonly [spelling: string]: Behavior };
	/** Commands within the program, several names separated by blanks; `*` stands for those not listed. */
	readonly subcommands?: { readonly [names: string]: ProgramSpec };
	/** What a program with subcommands does when none is given. */
	readonly withoutSubcommand?: Behavior;
	/** Options end at the first operand. */
	readonly optionsFirst?: boolean;
	/** Long options begin with one dash (`-name`), and short ones do not cluster. */
	readonly dashes?: "one";
	/** It gets files from the network; a subcommand may say so for itself. */
	readonly fetches?: true;
	/** What words alone cannot say. Called after everything else. */
	readonly custom?: (call: Call) => void;
}

export type ProgramSpecs = { readonly [names: string]: ProgramSpec };

/** Descriptions of programs that accept long options cut short, their subcommands included. */
export function abbreviating(programs: ProgramSpecs): ProgramSpecs {
	return Object.fromEntries(
		Object.entries(programs).map(([names, program]) => [
			names,
			{
				...program,
				abbreviates: true as const,
				...(program.subcommands && { subcommands: abbreviating(program.subcommands) }),
			},
		]),
	);
}

/** One parsed piece of a command line, in order. */
export type Item =
	| { readonly kind: "option"; readonly name: string; readonly value: string | undefined }
	| { readonly kind: "operand"; readonly word: string };

/** How shell text is run. */
export interface ScriptOptions {
	/** `$1 …` */
	readonly parameters?: readonly string[];
	/** `$0`; left out where it is nothing that a script would run. */
	readonly self?: string;
	readonly where?: "here" | "elsewhere";
	/** Which shell reads it; `any` where that may be one that knows less than bash. */
	readonly dialect?: "bash" | "any";
	/** The text is what stands on standard input: the commands in it find nothing there. */
	readonly from?: "words" | "input";
	/** What the commands in it find on standard input, where that is not what this command finds. */
	readonly input?: string;
}

/** One command under judgement, as its description sees it. Words may have holes (see `../text.ts`). */
export interface Call {
	/** Base name of the program. */
	readonly name: string;
	readonly args: readonly string[];
	readonly items: readonly Item[];
	readonly operands: readonly string[];
	/** The person's home directory. */
	readonly home: string;
	/** What it reads from standard input; a hole where unknown, empty where there is none. */
	readonly stdin: string;
	/** Whether one of the options was given, in any spelling listed. */
	has(spelling: string): boolean;
	/** The values given to an option, in order. */
	values(spelling: string): readonly string[];
	/** Treats a word as having a role. */
	applyRole(role: Role, word: string, detail?: AccessDetail): void;
	access(access: AccessKind, word: string, detail?: AccessDetail): void;
	/** From now on, a name leads to another place. */
	addLink(name: string, target: string): void;
	effect(...effects: readonly Effect[]): void;
	change(...changes: readonly ChangeKind[]): void;
	unknown(what: Unknown["what"], text: string, may?: readonly AccessKind[]): void;
	/** The whole command in normal spelling. */
	readonly text: string;
	/** Says what the command prints; a hole where it cannot be told. */
	setOutput(output: string): void;
	/** A text that stands for the paths that a search prints, to be written after the directory that it looks below. */
	searchResult(detail: AccessDetail): string;
	/** Another command that this one runs; `elsewhere` on another machine or in a container. */
	run(words: readonly string[], stdin?: string, where?: "here" | "elsewhere"): void;
	/** Shell text that this one runs. */
	script(text: string, more?: ScriptOptions): void;
	/** A file that this one runs as a program of its own language: looked through where the script itself has written it. */
	runProgramFile(word: string): void;
	/** The text behind a word: a process substitution, standard input, a file that the script has written; `undefined` where it is none. */
	content(word: string): string | undefined;
	/** PowerShell or cmd text that this one runs. */
	foreignScript(text: string, dialect: "powershell" | "cmd"): void;
	/** A file that this one runs as shell text: `/dev/fd` paths of substitutions are known by content. */
	runShellFile(word: string, more?: ScriptOptions): void;
	/** The words after this one are relative to a directory. */
	changeDirectory(word: string): void;
	/** Parses other words by another description, as part of this command. */
	delegate(program: ProgramSpec, args: readonly string[]): void;
	/** The nearest directory at or above the current one that has an entry of this name. */
	findUp(name: string): string | undefined;
	/** Whether there is a description of a program of this name. */
	isKnownProgram(name: string): boolean;
	/** The value that the script or the environment gives a variable; a hole where it is not known, `undefined` where it has none. */
	variable(name: string): string | undefined;
	/** What the script that the command stands in has written into a file, so far as it is known. */
	writtenContent(word: string): string | undefined;
	/** Whether a word names a directory on disk. */
	isDirectory(word: string): boolean;
	/** Whether a word names anything on disk. */
	exists(word: string): boolean;
}
