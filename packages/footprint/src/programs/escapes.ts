// Shell escapes in the command languages of editors, database clients, debuggers and file transfers.
// A command that such a language computes is unknown text; only escapes to the shell are found here.
import { UNKNOWN_VALUE } from "../text.ts";
import type { Call } from "./program-spec.ts";

export type EscapeLanguage = "vi" | "ed" | "psql" | "mysql" | "debugger" | "transfer" | "pager";

/** Patterns over one line; the last group that matched is the command. */
const lines: { readonly [language in EscapeLanguage]: readonly RegExp[] } = {
	vi: [
		/(?:^|[|:]|\bexe(?:c|cu|cut|cute)?\s+["'])\s*(?:(?:sil(?:ent)?|noauto\w*|keep\w+|verbose|legacy|normal)!?\s+)*[\d.,$%'<>]*\s*(?:(?:r|re|rea|read|w|wr|writ|write)\s*)?!(.+)/,
		/(?:^|[|:])\s*(?:[a-z]+!?\s+)*(?:ter(?:m|mi|min|mina|minal)?|te)\b!?\s+(?:\+\+\S+\s+)*(.+)/,
		/\b(?:system|systemlist|termopen|jobstart|job_start|term_start)\(\s*\[?\s*(["'])(.*?)\1/,
		/\bos\.execute\s*\(?\s*(["'])(.*?)\1/,
		/\b(?:os\.)?(?:system|popen)\(\s*(["'])(.*?)\1/,
		/\bset?\s+(?:makeprg|grepprg|equalprg|formatprg|keywordprg|shell)=((?:\\.|\S)+)/,
	],
	ed: [/^\s*[\d.,$;/'%]*\s*(?:[rewE]\s*)?!(.+)/],
	psql: [
		/\\!\s*(.+)/,
		/\\(?:o|out|g|gx|w|write|watch)\s*\|\s*(.+)/,
		/\bprogram\s+(?:'|\$\w*\$)(.+?)(?:'|\$\w*\$|$)/i,
		/\\(?:set|prompt|echo|qecho|copy|if)\b[^`\n]{0,300}`([^`\n]+)`/,
	],
	mysql: [/(?:^|[;\s])(?:\\!|system|!)\s+(.+)/i, /(?:^|[;\s])(?:\\P|pager)\s+(.+)/i, /(?:^|[;\s])source\s*\|\s*(.+)/i],
	debugger: [
		/^\s*(?:sh|she|shel|shell|!|platform\s+shell(?:\s+-h)?(?:\s+--)?|make)\s*(.+)/,
		/^\s*(?:\||pipe\b).{0,300}\|\s*(.+)/,
	],
	transfer: [/^\s*!+\s*(.+)/, /^\s*(?:local\s+)?(?:shell|lexec)\s+(.+)/],
	pager: [/^\+*\d*\s*(?:[!#]|\|[\^$.'a-zA-Z]?)(.+)/],
};

const MAX_LINES = 500;
const MAX_LINE = 4000;

/** Runs the shell commands in a text of the language. */
export function runEscapes(call: Call, language: EscapeLanguage, text: string): void {
	const all = text.split("\n");
	for (const line of all.slice(0, MAX_LINES)) {
		if (line.length > MAX_LINE) call.unknown("script", line);
		else for (const command of escapedCommands(lines[language], line)) call.script(command);
	}
	if (all.length > MAX_LINES) call.script(UNKNOWN_VALUE);
}

function escapedCommands(expressions: readonly RegExp[], line: string): readonly string[] {
	return expressions.flatMap((expression) => {
		const groups = expression.exec(line)?.slice(1) ?? [];
		const command = groups.findLast((group) => group !== undefined && group !== "" && group !== '"' && group !== "'");
		return command === undefined ? [] : [command.trim()];
	});
}
