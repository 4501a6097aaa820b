// Commands and program text among the arguments of a tool, walked as a shell tool's would be. The language is that of a `language`
// argument, else the tool's, else unknown. A1 bounded: past a bound the rest counts as anything.
import { resolveToolPath } from "./paths.ts";
import { type Language, languageNamed, languageOfTool, recordProgramText } from "./program-text.ts";
import type { FootprintRecord } from "./record.ts";
import { openState, type State, walkShell, walkWords } from "./shell/index.ts";

/** A command line. */
const commandKeys = /^(command(_?line)?|cmd(_?line)?|shell_?command|bash|exec(ute)?|run|terminal_?command|argv)$/i;
/** Several. */
const listKeys = /^(commands|cmds|shell_?commands)$/i;
/** Program text, of a shell where the tool or another argument says so. */
const codeKeys = /^(script|scripts|code|source_?code|program|snippet|expression|javascript|python|function_?body)$/i;
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
		const state = stateIn(entries, record);
		const args = entries.find(([name, list]) => /^arg(ument)?s$/i.test(name) && isStrings(list))?.[1];
		for (const [name, item] of entries) {
			if (!recordEntry(name, item, args, { language, state, record, tool })) walk(item, language, depth + 1);
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

/** False where the argument is neither a command nor program text. */
function recordEntry(name: string, value: unknown, args: unknown, place: Place): boolean {
	const { language, state, record, tool } = place;
	if (codeKeys.test(name)) {
		for (const text of textsOf(value)) recordProgramText(text, codeLanguage(name, language), state, record, tool);
		return typeof value === "string" || isStrings(value);
	}
	if (listKeys.test(name) && isStrings(value)) {
		for (const text of value) recordCommand(text, language, state, record, tool);
		return true;
	}
	if (!commandKeys.test(name) && !listKeys.test(name)) return false;
	if (isStrings(value)) {
		walkWords(value, state, record);
		return true;
	}
	if (typeof value !== "string") return false;
	if (isStrings(args) && !/\s/.test(value)) walkWords([value, ...args], state, record);
	else recordCommand(value, language, state, record, tool);
	return true;
}

/** A command line is shell text unless an argument beside it names another language. */
function recordCommand(text: string, language: Language, state: State, record: FootprintRecord, tool: string): void {
	if (language === "powershell" || language === "other") recordProgramText(text, language, state, record, tool);
	// A tool of another language may still hand its `command` to a shell.
	if (language !== "powershell") walkShell(text, state, record);
}

function codeLanguage(name: string, language: Language): Language {
	return /^(javascript|python)$/i.test(name) ? "other" : language;
}

function languageIn(entries: readonly (readonly [string, unknown])[]): Language | undefined {
	const named = entries.find(([name, value]) => languageKeys.test(name) && typeof value === "string")?.[1];
	return typeof named === "string" ? languageNamed(named) : undefined;
}

function stateIn(entries: readonly (readonly [string, unknown])[], record: FootprintRecord): State {
	const folder = entries.find(([name, value]) => directoryKeys.test(name) && typeof value === "string")?.[1];
	const cwd = typeof folder === "string" ? resolveToolPath(folder, record.host) : undefined;
	const state = openState(record.host);
	return cwd === undefined ? state : { ...state, cwd: [cwd] };
}

function textsOf(value: unknown): readonly string[] {
	return typeof value === "string" ? [value] : isStrings(value) ? value : [];
}

function isStrings(value: unknown): value is readonly string[] {
	return (
		Array.isArray(value) && value.length > 0 && value.length <= 1000 && value.every((item) => typeof item === "string")
	);
}
