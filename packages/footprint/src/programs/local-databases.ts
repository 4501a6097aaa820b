// Embedded databases: their statements read and write local files, and their shells have commands of their own.
import { isFileText, isKnown } from "../text.ts";
import type { Call } from "./program-spec.ts";
import { judgeSql, judgeSqlText } from "./sql.ts";

/** Commands of the shell that only show something or set the output format. */
const showsOnly =
	/^\.(tables?|schema|databases?|indexes|indices|headers?|mode|help|show|dump|timer|width|nullvalue|separator|print|echo|stats|changes|bail|fullschema|dbinfo|dbtotxt|lint|limit|eqp|explain|version|vfsinfo|vfslist|vfsname|quit|exit|prompt|columns|rows|maxrows|maxwidth|binary|crnl|crlf|selftest|sha3sum|parameter|progress|timeout|auth|recover|intck|nonce|connection|conn|filectrl|large_number_rendering|large|constant|keyword|comment|highlight|highlight_\w+|render_\w+|safe_mode|ui_command|edit)$/;

/** Files that statements name in literals: existing ones are read, targets of exports are written. */
function filesOfSql(call: Call, text: string): void {
	for (const [, target = ""] of text.matchAll(
		/\b(?:to|export\s+database|vacuum(?:\s+\w+)?\s+into|into\s+outfile|writefile\s*\(|attach(?:\s+database)?)\s*'([^']+)'/gi,
	))
		call.applyRole("replace", target);
	for (const [, source = ""] of text.matchAll(/'([^'\n]{1,500})'/g))
		if (/[./]/.test(source) && call.exists(source)) call.applyRole("read", source);
}

/** Statements and shell commands on one database file. */
function statements(call: Call, texts: readonly string[], file: string | undefined): void {
	const writes = texts.map((text) => readStatements(call, text)).includes(true);
	if (file === undefined || file === "" || file === ":memory:") return;
	call.applyRole("read", file);
	if (writes && !call.has("-readonly --readonly")) call.applyRole("write", file);
}

/** `sqlite3 file sql` and `duckdb file -c sql`. */
export function embedded(call: Call): void {
	if (call.has("-version --version -help --help")) return;
	const [file, ...rest] = call.operands;
	const given = [...call.values("-cmd -c -s"), ...rest];
	for (const script of call.values("-init -f")) {
		call.applyRole("read", script);
		if (script !== "/dev/null") call.unknown("script", call.text);
	}
	const texts = given.length === 0 && call.stdin !== "" ? [call.stdin] : given;
	statements(call, texts, file);
	if (call.has("-ui")) call.unknown("program", call.text);
}

/** Runs one command of the shell. Returns whether it may change the database. */
function shellCommand(call: Call, line: string): boolean {
	const [verb = "", ...rest] = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
	const words = rest.map((word) => word.replace(/^(['"])(.*)\1$/s, "$2")).filter((word) => !word.startsWith("-"));
	const [file = ""] = words;
	const command = /^\.(shell|system|sh)$/.test(verb) || file.startsWith("|");
	const target = /^\.(backup|save|bak|restore)$/.test(verb) ? (words.at(-1) ?? "") : file;
	if (command) call.script(line.replace(/^\.\w+\s*\|?/, ""));
	else if (/^\.(import|read|load|restore|open)$/.test(verb)) call.applyRole("read", target);
	else if (writesFile.test(verb)) call.applyRole("replace", /^(stdout|stderr|off|on)$/.test(target) ? "" : target);
	else if (!showsOnly.test(verb)) call.unknown("program", line);
	if (verb === ".open") call.applyRole("write", file);
	if (/^\.(read|load)$/.test(verb)) call.unknown("script", line);
	return /^\.(import|read|load|restore|archive|ar)$/.test(verb);
}

const writesFile = /^\.(output|once|log|clone|trace|testcase|backup|save|bak)$/;

/** Returns whether the text may change the database. */
function readStatements(call: Call, text: string): boolean {
	if (!isKnown(text)) {
		if (isFileText(text)) call.unknown("script", call.text);
		else judgeSql(call, text);
		return true;
	}
	const lines = text.split("\n");
	const own = lines.filter((line) => /^\s*\.\w/.test(line));
	const sql = lines.filter((line) => !own.includes(line)).join("\n");
	const changes = own.map((line) => shellCommand(call, line.trim())).includes(true);
	judgeSql(call, sql);
	filesOfSql(call, sql);
	return changes || judgeSqlText(sql).changes.length > 0;
}
