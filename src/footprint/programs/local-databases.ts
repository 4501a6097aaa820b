// Embedded databases: their statements read and write local files, and their shells have commands of their own.
import { isKnown } from "../text.ts";
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";
import { judgeSql, judgeSqlText } from "./sql.ts";

/** Commands of the shell that only show something or set the output format. */
const showsOnly =
	/^\.(tables?|schema|databases?|indexes|indices|headers?|mode|help|show|dump|timer|width|nullvalue|separator|print|echo|stats|changes|bail|fullschema|dbinfo|dbtotxt|lint|limit|eqp|explain|version|vfsinfo|vfslist|vfsname|quit|exit|prompt|columns|rows|maxrows|maxwidth|binary|crnl|crlf|selftest|sha3sum|parameter|progress|timeout|auth|recover|intck|nonce|connection|conn|filectrl|large_number_rendering|large|constant|keyword|comment|highlight|highlight_\w+|render_\w+|safe_mode|ui_command|edit)$/;

/** Runs one command of the shell. Returns whether it may change the database. */
function shellCommand(call: Call, line: string): boolean {
	const [verb = "", ...words] = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
	const plain = words.map((word) => word.replace(/^(['"])(.*)\1$/s, "$2")).filter((word) => !/^-/.test(word));
	const [, run] = shellCommands.find(([verbs]) => verbs.test(verb)) ?? [];
	if (!run && !showsOnly.test(verb)) call.unknown("program", line);
	return run?.({ call, verb, words: plain, line }) ?? false;
}

interface ShellLine {
	readonly call: Call;
	readonly verb: string;
	/** The words after the verb, options left out. */
	readonly words: readonly string[];
	readonly line: string;
}

/** Commands of the shell (`.name words…`): what each does, and whether it may change the database. */
const shellCommands: readonly (readonly [verbs: RegExp, run: (line: ShellLine) => boolean])[] = [
	[/^\.(shell|system|sh)$/, runShellText],
	[/^\.(import|read|load|cd)$/, readShellFile],
	[/^\.(output|once|log|clone|excel|trace|testcase|www|scanstats)$/, (line) => writeShellFile(line, line.words[0])],
	[/^\.(backup|save|bak)$/, (line) => writeShellFile(line, line.words.at(-1))],
	[/^\.restore$/, restoreDatabase],
	[/^\.open$/, openDatabase],
	[/^\.(archive|ar)$/, changeArchive],
];

function runShellText({ call, line }: ShellLine): boolean {
	call.script(line.replace(/^\.\w+\s*/, ""));
	return false;
}

function readShellFile({ call, verb, words, line }: ShellLine): boolean {
	const [file = ""] = words;
	if (file.startsWith("|")) call.script(words.join(" ").slice(1));
	else if (file !== "") call.applyRole("read", file);
	if (verb === ".read" || verb === ".load") call.unknown("script", line);
	return verb !== ".cd";
}

function writeShellFile({ call, verb, line }: ShellLine, file = ""): boolean {
	if (file.startsWith("|")) call.script(line.replace(/^\.\w+\s*\|/, ""));
	else if (file !== "" && !/^(stdout|stderr|off|on)$/.test(file)) call.applyRole("replace", file);
	else if (verb === ".excel" || verb === ".www") call.unknown("program", line);
	return false;
}

function restoreDatabase({ call, words }: ShellLine): boolean {
	call.applyRole("read", words.at(-1) ?? "");
	return true;
}

function openDatabase({ call, words: [file = ""] }: ShellLine): boolean {
	for (const role of file === "" ? [] : (["read", "write"] as const)) call.applyRole(role, file);
	return false;
}

function changeArchive({ call, line }: ShellLine): boolean {
	call.unknown("operand", line);
	return true;
}

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

/** Returns whether the text may change the database. */
function readStatements(call: Call, text: string): boolean {
	if (!isKnown(text)) {
		judgeSql(call, text);
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

/** `sqlite3 file sql` and `duckdb file -c sql`. */
function embedded(call: Call): void {
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

const embeds: ProgramSpec = {
	dashes: "one",
	options: {
		"-cmd -separator -nullvalue -newline -maxsize -mmap -pagecache -lookaside -heap -vfs": "text",
		"-init": "text",
	},
	custom: embedded,
};

/** `clickhouse local --query sql`, `clickhouse client …`: local queries read and write files here. */
function clickhouse(call: Call): void {
	const texts = call.values("-q --query -e --execute");
	for (const text of texts) {
		judgeSql(call, text);
		filesOfSql(call, text);
	}
	for (const file of call.values("--queries-file -i --init-file")) {
		call.applyRole("read", file);
		call.change("database");
		call.unknown("script", call.text);
	}
	if (texts.length === 0 && call.stdin !== "") judgeSql(call, call.stdin);
}

const clickhouseClient: ProgramSpec = {
	options: {
		"-q --query -e --execute --queries-file -i --init-file -h --host --port -u --user --password -d --database -f --format --input-format --output-format -S --structure -N --table -C --config-file":
			"text",
	},
	custom: clickhouse,
};

export const localDatabases: ProgramSpecs = {
	"sqlite3 sqlite litecli": embeds,
	"duckdb duckdb-cli": { ...embeds, options: { ...embeds.options, "-c -s -f": "text" } },
	"clickhouse-client clickhouse-local chc": clickhouseClient,
	clickhouse: {
		subcommands: {
			"client local": clickhouseClient,
			"help --version": {},
			"*": { changes: ["database"], opaque: "program" },
		},
	},
};
