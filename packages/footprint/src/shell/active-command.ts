// One command while its program's description is applied: its effects so far, and the operations on its words.
import type { ChangeKind, Effect } from "../effects.ts";
import type { AccessKind, Unknown } from "../footprint.ts";
import { isTooLong, pathRules } from "../paths.ts";
import { absolutePaths, accessVerb, type Directories, harmOf, isStream } from "../places.ts";
import type { Behavior, ParsedArgument, ProgramSpec, ScriptOptions, Where } from "../programs/index.ts";
import { type AccessDetail, everyAccess } from "../record.ts";
import { displayText, isBlank, isKnown, spellCommand, UNKNOWN_VALUE } from "../text.ts";
import { contentOf, isDownloaded, isInput, keepInput } from "./contents.ts";
import { recordCode } from "./run-code.ts";
import { assign, childState, type State, textValue } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

export interface ActiveCommand {
	readonly walk: ShellWalk;
	readonly program: ProgramSpec;
	/** Base name of the program. */
	readonly name: string;
	readonly args: readonly string[];
	readonly state: State;
	readonly stdin: string;
	/** The whole command in normalized spelling. */
	readonly text: string;
	readonly effects: Set<Effect>;
	readonly changes: Set<ChangeKind>;
	/** Where its changes take place, by its description and that of its subcommand. */
	changesIn: Behavior["changesIn"];
	/** The operands of its innermost subcommand. */
	operands: readonly string[];
	/** The outputs of the commands that this one runs. */
	readonly innerOutputs: string[];
	/** The directories that its words are relative to. */
	directories: Directories;
	/** The options given so far, outer ones first, and the operands of the innermost subcommand. */
	items: readonly ParsedArgument[];
	/** Its output according to its description. */
	prints: string | undefined;
}

export function openCommand(
	walk: ShellWalk,
	program: ProgramSpec,
	name: string,
	args: readonly string[],
	state: State,
	stdin: string,
): ActiveCommand {
	return {
		walk,
		program,
		name,
		args,
		state,
		stdin,
		text: spellCommand([name, ...args]),
		effects: new Set(),
		changes: new Set(),
		changesIn: undefined,
		operands: [],
		innerOutputs: [],
		directories: state.cwd,
		items: [],
		prints: undefined,
	};
}

/** Records an access to the path that a word names, and the harm that follows from the path itself. */
export function access(command: ActiveCommand, kind: AccessKind, word: string, detail?: AccessDetail): void {
	const { walk, state, directories, text, effects } = command;
	if (state.elsewhere) return;
	for (const path of accessVerb(walk.record, kind, word, directories, text, detail)) {
		const harm = kind === "write" || kind === "delete" ? harmOf(path, walk.host) : undefined;
		if (harm) effects.add(harm);
		if (kind !== "write") continue;
		if (command.program.fetches) walk.record.fetched(path);
		keepInput(walk, path, command.name, command.args, command.stdin);
	}
}

export function recordUnknown(
	{ walk, state }: ActiveCommand,
	what: Unknown["what"],
	text: string,
	may: readonly AccessKind[] = everyAccess,
): void {
	// On another machine, it may change nothing of this one.
	walk.record.unknown({ what, text: displayText(text), may: state.elsewhere ? [] : may });
}

/** The state that a command run by this one starts with. */
export function innerState({ state, directories }: ActiveCommand, where: Where = "here"): State {
	const elsewhere = where !== "here" || state.elsewhere;
	const isolated = where === "container" || state.isolated;
	if (directories === state.cwd && elsewhere === state.elsewhere && isolated === state.isolated) return state;
	return { ...state, cwd: directories, elsewhere, isolated };
}

/** Runs another command, given as words. */
export function runCommand(
	command: ActiveCommand,
	words: readonly string[],
	stdin: string = command.stdin,
	where?: Where,
): void {
	command.innerOutputs.push(command.walk.runWords(words, innerState(command, where), stdin).output);
}

/** Runs shell text in a child shell. */
export function runScript(command: ActiveCommand, source: string, detail: ScriptOptions = {}): void {
	const { walk, state, effects } = command;
	const { parameters = [], self, where, dialect = "any", from, input = command.stdin } = detail;
	// A child shell copies the known functions and variables.
	walk.record.spend((state.functions.size + state.variables.size) / 8);
	const inner = childState(innerState(command, where), walk.host);
	const named = self === undefined ? inner : assign(inner, "0", textValue(self));
	const child = { ...named, parameters: [parameters], dialect };
	command.innerOutputs.push(walk.runText(source, child, from === "input" ? "" : input, effects).output);
}

/** The text that a word refers to, if the script determines it. */
export function content({ walk, directories, stdin }: ActiveCommand, word: string): string | undefined {
	return contentOf(walk, word, directories, stdin);
}

/** Runs a file as shell text. */
export function runFile(command: ActiveCommand, word: string, detail: ScriptOptions = {}): void {
	const text = content(command, word);
	if (isKnown(word) && isStream(word)) {
		runScript(command, text ?? UNKNOWN_VALUE, isInput(word) ? { ...detail, from: "input" } : detail);
		return;
	}
	access(command, "read", word);
	if (wasDownloaded(command, word)) command.effects.add("run-download");
	if (text !== undefined) runScript(command, text, detail);
	recordUnknown(command, "file", command.text);
}

/** Runs a file as a program of the command's own language. */
export function runProgramFile(command: ActiveCommand, word: string): void {
	const { walk, effects } = command;
	const text = content(command, word);
	if (text === undefined || !isStream(word)) access(command, "read", word);
	if (text !== undefined && !isBlank(text)) recordCode(walk, text, innerState(command), command.text);
	// The content that the same command downloaded or wrote is unknown.
	else if (text !== undefined && text !== "" && (isStream(word) || walk.record.wasFetched()))
		effects.add("run-unknown-text");
	if (wasDownloaded(command, word)) effects.add("run-download");
}

function wasDownloaded({ walk, state, directories }: ActiveCommand, word: string): boolean {
	return !state.elsewhere && isDownloaded(walk, absolutePaths(word, directories, walk.record) ?? []);
}

/** Makes later words relative to a directory. */
export function enterDirectory(command: ActiveCommand, word: string): void {
	const { walk } = command;
	const paths = absolutePaths(word, command.directories, walk.record);
	const possible = paths && paths.length > 0 && !paths.some(isTooLong);
	command.directories = possible ? paths.map((path) => pathRules(walk.host).normalize(path)) : undefined;
}
