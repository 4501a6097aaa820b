// Program text among a tool's arguments: its language and its known effects. Shell text is walked as a command; in any other language only
// the literals are examined, and the rest is unknown.
import { nameWords } from "./agent-tools.ts";
import { type PowerShellPlace, recordPowerShell } from "./powershell/index.ts";
import { isProgramName } from "./programs/index.ts";
import type { FootprintRecord } from "./record.ts";
import { type State, walkShell, walkWords } from "./shell/index.ts";
import { baseName } from "./text.ts";

export type Language = "shell" | "powershell" | "other" | "unknown";

const shellNames = /^(?:(?:ba|z|k|da|fi|a)?sh|shell(?:script)?|command|terminal|console|cmd)$/i;
const otherNames =
	/^(?:javascript|js|mjs|typescript|ts|node(?:js)?|deno|bun|python3?|py|ipython|jupyter|notebook|ruby|rb|perl|php|lua|go|rust|java|kotlin|swift|c|cpp|csharp|r|julia|elixir|sql|html|css|json|yaml|browser|chrome|puppeteer|playwright|selenium|page|dom|evaluate|eval|applescript|jxa|figma|blender)$/i;

/** The language that an argument names (`bash`, `/bin/zsh`, `python3.12`). */
export function languageNamed(text: string): Language {
	const name = /([^\\/\s]*?)(?:\.exe)?(?:\s.*)?$/s.exec(text.trim())?.[1]?.replace(/[\d.]+$/, "") ?? "";
	if (/^(?:powershell|pwsh|ps)$/i.test(name)) return "powershell";
	if (shellNames.test(name)) return "shell";
	return name === "" ? "unknown" : "other";
}

/** The language that a tool's name suggests, including its server's name. */
export function languageOfTool(tool: string): Language {
	const words = nameWords(tool);
	if (words.some((word) => /^(?:powershell|pwsh)$/.test(word))) return "powershell";
	if (words.some((word) => shellNames.test(word))) return "shell";
	return words.some((word) => otherNames.test(word)) ? "other" : "unknown";
}

/** Detects a text's language from its content; `shell` only if its first command is a known program. */
function languageOfText(text: string): Language {
	const [, interpreter] = /^(?:#!\s*(?:\S*\/env\s+(?:-S\s*)?)?|\s*%%(?:script\s+)?)(\S+)/.exec(text) ?? [];
	if (interpreter !== undefined) return languageNamed(interpreter);
	const line = text.split("\n").find((each) => each.trim() !== "" && !/^\s*(?:#|\/\/|\/\*|\*)/.test(each)) ?? "";
	const [, word = "", next = ""] =
		/^\s*(?:(?:\w+=\S*|sudo|env|nohup|exec|time)\s+)*([\w./-]+)([^\w\s]|\s+[=(])?/.exec(line) ?? [];
	if (/[=(:[{,]/.test(next) || /^(?:import|from|const|let|var|function|class|def|return|await)$/.test(word))
		return "unknown";
	return isProgramName(baseName(word)) || shellWords.has(word) ? "shell" : "unknown";
}

const shellWords = new Set("cd set export source eval if for while case pushd trap unset alias umask".split(" "));

/** Records text that a tool runs as a program. */
export function recordProgramText(
	text: string,
	language: Language,
	state: State,
	record: FootprintRecord,
	by: string,
): void {
	const known = language === "unknown" || /^\s*%%/.test(text) ? languageOfText(text) : language;
	// Lines of a notebook.
	if (known === "other") for (const [, line = ""] of text.matchAll(/^\s*!\s*(\w.*)$/gm)) walkShell(line, state, record);
	if (known === "shell") walkShell(text, state, record);
	else if (known === "powershell") recordPowerShell(text, "powershell", record, powerShellPlace(state, record));
	else {
		record.unknown({ what: "script", text: text.trim() });
		if (text.length > MAX_TEXT) record.overflow(`program text of ${by} longer than can be judged`);
		walkWords(text.length > MAX_TEXT ? [] : [interpreterOf(by, text), "-e", text], state, record);
		recordNames(text, record);
	}
}

/** The context for PowerShell text: it runs in the directories of `state`, and other commands are walked as a shell would run them. */
export function powerShellPlace(state: State, record: FootprintRecord): PowerShellPlace {
	return {
		directories: state.cwd,
		run: (words, directories) => walkWords(words, { ...state, cwd: directories }, record),
		depth: 0,
	};
}

const MAX_TEXT = 100_000;
const MAX_NAMES = 200;

/**
 * An interpreter that takes the text with `-e` and whose language reads like that of the text, Ruby's for Python: program text of a tool is
 * judged like that of a command.
 */
function interpreterOf(tool: string, text: string): string {
	const name = /(?:^|[^a-z])(py(?:thon)?|ruby|perl|php)(?:[^a-z]|$)/i.exec(tool)?.[1]?.toLowerCase();
	if (name !== undefined) return name.startsWith("py") ? "ruby" : name;
	return /^\s*(?:import|from) \w/m.test(text) ? "ruby" : "node";
}

/** Records the names in program text that it may call as tools. */
function recordNames(text: string, record: FootprintRecord): void {
	const looked = text.slice(0, MAX_TEXT);
	const names = [...looked.matchAll(/([A-Za-z_][\w-]{1,80})["'`]?\]?\s*[(,)]/g)].map(([, name = ""]) => name);
	record.call(...[...new Set(names)].slice(0, MAX_NAMES));
}
