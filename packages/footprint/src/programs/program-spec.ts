// What is known about a program. `notation.ts` reads it from the tables; `../shell/call.ts` and `../shell/roles.ts` interpret it.
// Spellings of an option are those of the manual page, separated by blanks: "-t --target-directory".
import type { ChangeKind, Effect } from "../effects.ts";
import type { AccessKind, Unknown } from "../footprint.ts";
import type { AccessDetail } from "../record.ts";

/** What a word of a command means. */
export const roles = {
	text: "not a path: a number, a pattern, a name",
	read: "a file or directory whose contents are read",
	names: "a file that is read, and so is every file that it names, one a line or with NUL between",
	list: "a path whose existence, names or attributes are read",
	write: "a file that is changed in place or appended to",
	replace: "a file that is overwritten, losing its old contents",
	make: "a directory or empty file that is created; an existing one is unchanged",
	delete: "a path that is removed",
	move: "a path that is moved away with everything below it",
	into: "the destination of a copy or move: a new name, or a directory",
	link: "a path that gets another name",
	directory: "the directory that later words are relative to",
	manifest: "a file whose directory later words are relative to: a project's manifest",
	load: "code, or settings that may name some: a file or folder, a name, or the setting itself; a plain version number names none",
	run: "a shell script that is run; its text is analyzed if known",
	command: "the first word of another command; all words after it belong to that command",
	script: "shell text that is run",
	code: "program text in another language that is run",
} as const;

export type Role = keyof typeof roles;

/** Roles by position: those of the first operands, then of the last one, then of all between. */
export interface Positions {
	readonly first?: readonly Role[];
	readonly last?: Role;
	readonly rest?: Role;
}

/** What a command does, according to its words. */
export interface Behavior {
	readonly operands?: Role | Positions;
	/** Accesses of its operands include everything below them. */
	readonly recursive?: boolean;
	/** Accesses of its operands leave these files out. */
	readonly skips?: AccessDetail["skips"];
	readonly effects?: readonly Effect[];
	readonly changes?: readonly ChangeKind[];
	/**
	 * Where `changes` to files take place: in the directory it works in; in its operands, without any in that directory; in git's repository
	 * and working tree. Absent: anywhere, as for installs of the machine or the user.
	 */
	readonly changesIn?: "directory" | "operands" | "repository" | "anywhere";
	/** Its arguments do not show its effects beyond its operands. */
	readonly opaque?: Extract<Unknown["what"], "script" | "file" | "project" | "program">;
	/** Without operands it works on the current directory, in this role. */
	readonly defaultRole?: Role;
	/**
	 * An option with which the command only shows something (`--dry-run`, `--list`): `effects`, `changes` and `opaque` of the command do not
	 * apply.
	 */
	readonly harmless?: true;
	/** An option that leaves files unchanged: `changes` do not apply. */
	readonly unchanged?: true;
}

export interface ProgramSpec extends Behavior {
	/** Options that take a value, with the value's role. */
	readonly options?: { readonly [spelling: string]: Role };
	/** Its options may also follow a subcommand. */
	readonly optionsAnywhere?: true;
	/** Options with an optional, attached value (`-i.bak`, `--color=auto`): the next word is not a value. */
	readonly attached?: string;
	/** Options without a value that would otherwise count as abbreviations of others. */
	readonly flags?: string;
	/** Long options may be abbreviated (`--rec` for `--recursive`), as in GNU programs and git. */
	readonly abbreviates?: true;
	/** What an option adds or replaces. */
	readonly when?: { readonly [spelling: string]: Behavior };
	/** Subcommands, names separated by blanks; `*` matches all others. */
	readonly subcommands?: { readonly [names: string]: ProgramSpec };
	/** What a program with subcommands does when none is given. */
	readonly withoutSubcommand?: Behavior;
	/** Options end at the first operand. */
	readonly optionsFirst?: boolean;
	/** Long options begin with one dash (`-name`), and short ones do not cluster. */
	readonly dashes?: "one";
	/** It downloads files. Subcommands may set this themselves. */
	readonly fetches?: true;
	/** What the fields above cannot express. Called last. */
	readonly custom?: (call: Call) => void;
}

export type ProgramSpecs = { readonly [names: string]: ProgramSpec };

/** One option or operand of a command line. */
export type ParsedArgument =
	| { readonly kind: "option"; readonly name: string; readonly value: string | undefined }
	| { readonly kind: "operand"; readonly word: string };

/** Where a command runs that another one starts. */
export type Where = "here" | "elsewhere" | "container";

/** How shell text is run. */
export interface ScriptOptions {
	/** `$1 …` */
	readonly parameters?: readonly string[];
	/** `$0`; absent if no script would run it. */
	readonly self?: string;
	readonly where?: Where;
	/** Which shell reads it; `any` (the default) may be one with fewer features than bash. */
	readonly dialect?: "bash" | "any";
	/** The text comes from standard input, so its commands find nothing there. */
	readonly from?: "words" | "input";
	/** Standard input of the commands in it, if not that of this command. */
	readonly input?: string;
}

/** One command, as the `custom` function of its description sees it. Words may hold placeholders for unknown text (see `../text.ts`). */
export interface Call {
	/** Base name of the program. */
	readonly name: string;
	readonly args: readonly string[];
	readonly items: readonly ParsedArgument[];
	readonly operands: readonly string[];
	/** The user's home directory. */
	readonly home: string;
	/** See `HostEnvironment.unique`. */
	readonly unique: string;
	/** Its standard input: the placeholder if it is unknown, empty if there is none. */
	readonly stdin: string;
	/** Whether one of the options was given, in any spelling listed. */
	has(spelling: string): boolean;
	/** The values given to an option, in order. */
	values(spelling: string): readonly string[];
	/** Applies a role to a word. */
	applyRole(role: Role, word: string, detail?: AccessDetail): void;
	access(access: AccessKind, word: string, detail?: AccessDetail): void;
	/** From now on `name` is a link to `target`. */
	addLink(name: string, target: string): void;
	effect(...effects: readonly Effect[]): void;
	change(...changes: readonly ChangeKind[]): void;
	unknown(what: Unknown["what"], text: string, may?: readonly AccessKind[]): void;
	/** The whole command in normal spelling. */
	readonly text: string;
	/** Sets what the command prints. */
	setOutput(output: string): void;
	/** A placeholder for the paths that a search finds, to be appended to the directory it searches. */
	searchResult(detail: AccessDetail): string;
	/** Runs another command; `elsewhere` is another machine or a container, `container` one that has nothing of this machine. */
	run(words: readonly string[], stdin?: string, where?: Where): void;
	/** Runs shell text. */
	script(text: string, more?: ScriptOptions): void;
	/** Runs a file as a program of the command's language; its text is analyzed if known. */
	runProgramFile(word: string): void;
	/** The text behind a word: a process substitution, standard input, or a file that the script has written; else `undefined`. */
	content(word: string): string | undefined;
	/** Runs PowerShell or cmd text. */
	foreignScript(text: string, dialect: "powershell" | "cmd"): void;
	/** Runs a file as a shell script; its text is analyzed if known. */
	runShellFile(word: string, more?: ScriptOptions): void;
	/** The absolute path of a word; the placeholder if it is unknown or there are several. */
	absolute(word: string): string;
	/** Makes later words relative to a directory. */
	changeDirectory(word: string): void;
	/** Parses words by another description, as part of this command. */
	delegate(program: ProgramSpec, args: readonly string[]): void;
	/** The nearest directory, from the current one upwards, that has an entry of this name. */
	findUp(name: string): string | undefined;
	/** Whether the table describes a program of this name. */
	isKnownProgram(name: string): boolean;
	/** The text of a file on disk, by its absolute path; `undefined` if it is not known. */
	fileText(path: string): string | undefined;
	/** The value of a variable of the script or environment: the placeholder if it is unknown, `undefined` if it is unset. */
	variable(name: string): string | undefined;
	/** Whether a word names a directory on disk. */
	isDirectory(word: string): boolean;
	/** Whether a word names anything on disk. */
	exists(word: string): boolean;
}

/** The words after `--`; `undefined` without one. */
export function afterDashes({ args }: Call): readonly string[] | undefined {
	const at = args.indexOf("--");
	return at < 0 ? undefined : args.slice(at + 1);
}
