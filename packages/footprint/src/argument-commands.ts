// Commands and program text among a tool's arguments, walked like those of a shell tool. The `language` argument decides the language,
// otherwise the tool's name; otherwise it is unknown.
// A1 bounded: beyond a bound, the rest counts as anything.
import { resolveToolPath } from "./paths.ts";
import { type Language, languageNamed, languageOfTool, recordProgramText } from "./program-text.ts";
import { isProgramName } from "./programs/index.ts";
import type { FootprintRecord } from "./record.ts";
import { openState, type State, walkShell, walkWords } from "./shell/index.ts";
import { spell } from "./text.ts";

/** Arguments that name a program whose own arguments are given separately. */
const programKeys = /^(program|executable|binary|bin|file|exec_?path|executable_?path)$/i;
const argumentKeys = /^(args?|arguments?|argv|params?|parameters?|options|flags)$/i;
/** Arguments that hold a command line. */
const commandKeys =
	/^(chars|keys|send_?keys|keystrokes|stdin|command(_?line)?|cmd(_?line)?|shell_?command|bash|exec(ute)?|run|terminal_?command|argv)$/i;
/** Arguments that hold several command lines. */
const listKeys = /^(commands|cmds|shell_?commands)$/i;
/** Arguments that contain program text; it is shell text if the tool or another argument indicates so. */
const codeKeys = /^(scripts?|code|source(_?code)?|program|snippet|expression|javascript|python|function_?body)$/i;
const languageKeys = /^(lang(uage)?|shell|interpreter|runtime|kernel)$/i;
const directoryKeys = /^(cwd|work_?(ing_?)?dir(ectory)?)$/i;

const MAX_DEPTH = 8;
const MAX_NODES = 5000;

/** Records every command and program text in `input`. */
export function recordArgumentCommands(input: unknown, tool: string, record: FootprintRecord): void {
	let nodes = 0;
	const walk = (value: unknown, outer: Language, depth: number): void => {
		if (typeof value !== "object" || value === null) return;
		if (depth > MAX_DEPTH || ++nodes > MAX_NODES) {
			record.overflow(`more arguments of ${tool} than can be judged`);
			return;
		}
		const entries = Object.entries(value);
		const language = languageIn(entries) ?? outer;
		const state = stateOfArgument(entries, record);
		const place = { language, state, record, tool };
		const passed = recordWithArguments(entries, place);
		for (const [name, item] of entries) {
			if (!passed.has(name) && !recordEntry(name, item, place)) walk(item, language, depth + 1);
		}
	};
	walk(input, languageOfTool(tool), 0);
}

interface Place {
	readonly language: Language;
	readonly state: State;
	readonly record: FootprintRecord;
	readonly tool: string;
}

/** Records a program whose arguments are given separately. Returns the names of all the arguments used. */
function recordWithArguments(entries: readonly (readonly [string, unknown])[], place: Place): ReadonlySet<string> {
	const own = isProgramName(place.tool) ? (["", place.tool] as const) : undefined;
	const program = entries.find(([name, value]) => typeof value === "string" && isProgramPart(name, value)) ?? own;
	const given = entries.filter(
		([name, value]) => argumentKeys.test(name) && (isStrings(value) || (typeof value === "string" && value !== "")),
	);
	if (!program || given.length === 0) return new Set();
	const { state, record } = place;
	const line = String(program[1]).trim();
	const texts = given.flatMap(([, value]) => (typeof value === "string" ? [value] : []));
	const words = given.flatMap(([, value]) => (isStrings(value) ? value : []));
	if (texts.length > 0) walkShell([line, ...texts, ...words.map(spell)].join(" "), state, record);
	else walkWords([...line.split(/\s+/), ...words], state, record);
	// The list may repeat the program's name first, as `argv` does.
	if (lastPathPart(words[0] ?? "") === lastPathPart(line)) walkWords(words, state, record);
	return new Set([program[0], ...given.map(([name]) => name)]);
}

function isProgramPart(name: string, value: string): boolean {
	if (!/^[\w./\\ :@+-]+$/.test(value)) return false;
	if (commandKeys.test(name)) return true;
	return programKeys.test(name) && (!/^file$/i.test(name) || isProgramName(lastPathPart(value)));
}

function lastPathPart(path: string): string {
	return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/**
 * Whether a list of words is a command, whatever its argument's name: a shell or a program that starts others; for a tool that runs
 * commands, also any known program with options.
 */
function isCommandWords([first = "", ...rest]: readonly string[], tool: string): boolean {
	const name = lastPathPart(first).replace(/\.exe$/i, "");
	if (rest.length === 0) return false;
	return starters.test(name) || (isRunner(tool) && isProgramName(name) && rest.some((word) => word.startsWith("-")));
}

/** Whether a tool's name indicates that it runs any program, not a specific one (`git_run`). */
function isRunner(tool: string): boolean {
	const words = tool.toLowerCase().split(/[^a-z\d]+/);
	if (languageOfTool(tool) === "shell") return true;
	return words.some((word) => /^(?:run|exec|execute|spawn|process)$/.test(word)) && !words.some(isProgramName);
}

const starters =
	/^(?:(?:ba|z|k|mk|da|a|fi)?sh|busybox|cmd|pwsh|powershell|sudo|doas|env|xargs|nohup|timeout|python[\d.]*|node|deno|bun|perl|ruby|php)$/i;

/** Records one argument; false if it is neither a command nor program text. */
function recordEntry(name: string, value: unknown, place: Place): boolean {
	const { language, state, record, tool } = place;
	if (codeKeys.test(name)) {
		for (const text of argumentTexts(value)) recordProgramText(text, codeLanguage(name, language), state, record, tool);
		return typeof value === "string" || isStrings(value);
	}
	if (listKeys.test(name) && isStrings(value)) {
		for (const text of value) recordCommand(text, language, state, record, tool);
		return true;
	}
	const named = commandKeys.test(name) || listKeys.test(name);
	if (typeof value === "string") {
		if (named) recordCommand(value, language, state, record, tool);
		return named;
	}
	const commands = wordListsOf(value).filter((words) => named || isCommandWords(words, tool));
	for (const words of commands) walkWords(words, state, record);
	return commands.length > 0;
}

/** A list of words, or a list of such lists. */
function wordListsOf(value: unknown): readonly (readonly string[])[] {
	if (isStrings(value)) return [value];
	return Array.isArray(value) && value.length <= 1000 && value.every(isStrings) ? value : [];
}

/** Records a command line. It is shell text unless another argument names a different language. */
function recordCommand(text: string, language: Language, state: State, record: FootprintRecord, tool: string): void {
	if (language === "powershell" || language === "other") recordProgramText(text, language, state, record, tool);
	// A tool for another language may still pass its `command` to a shell.
	if (language !== "powershell") walkShell(text, state, record);
}

function codeLanguage(name: string, language: Language): Language {
	return /^(javascript|python)$/i.test(name) ? "other" : language;
}

function languageIn(entries: readonly (readonly [string, unknown])[]): Language | undefined {
	const named = entries.find(([name, value]) => languageKeys.test(name) && typeof value === "string")?.[1];
	return typeof named === "string" ? languageNamed(named) : undefined;
}

function stateOfArgument(entries: readonly (readonly [string, unknown])[], record: FootprintRecord): State {
	const folder = entries.find(([name, value]) => directoryKeys.test(name) && typeof value === "string")?.[1];
	const cwd = typeof folder === "string" ? resolveToolPath(folder, record.host) : undefined;
	const state = openState(record.host);
	return cwd === undefined ? state : { ...state, cwd: [cwd] };
}

function argumentTexts(value: unknown): readonly string[] {
	return typeof value === "string" ? [value] : isStrings(value) ? value : [];
}

/** Whether a value is a list of texts. */
export function isStrings(value: unknown): value is readonly string[] {
	return (
		Array.isArray(value) && value.length > 0 && value.length <= 1000 && value.every((item) => typeof item === "string")
	);
}
