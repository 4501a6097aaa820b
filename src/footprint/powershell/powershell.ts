// PowerShell and cmd text: a smaller analysis than the shell's. Its statements are looked up one by one, their paths touched.
// P1 a command that is not in the table is judged as a program of its own; P2 control flow is not followed: everything is walked once.
import type { Effect } from "../effects.ts";
import type { Access } from "../footprint.ts";
import { pathRules } from "../paths.ts";
import { absolutePaths, type Directories, touchWord } from "../places.ts";
import { everyAccess, type Record } from "../record.ts";
import { isBlank, isKnown, shown, spell } from "../text.ts";
import { type Cmdlet, findCmdlet } from "./cmdlets.ts";
import { type Dialect, readStatements, type Statement } from "./statements.ts";

/** Where the text runs, and how other programs are judged. */
export interface PowerShellPlace {
	readonly directories: Directories;
	readonly run: (words: readonly string[], directories: Directories) => void;
	readonly depth: number;
}

const MAX_TEXT = 200_000;
const MAX_DEPTH = 6;

/** Records what PowerShell or cmd text would do. */
export function recordPowerShell(text: string, dialect: Dialect, record: Record, place: PowerShellPlace): void {
	if (isBlank(text)) {
		if (text.trim() !== "") recordUnknownText(text, record);
		return;
	}
	const session: Session = {
		record,
		dialect,
		place,
		directories: place.directories,
		variables: new Map<string, string>(),
		listed: [],
		unnamed: [],
	};
	const names = {
		get: (name: string) => lookUp(name, session),
		set: (name: string, value: string) => void session.variables.set(name, value),
	};
	const statements =
		text.length > MAX_TEXT || place.depth > MAX_DEPTH ? undefined : readStatements(text, dialect, names);
	if (!statements) {
		record.overflow("a command longer than can be judged");
		return;
	}
	for (const statement of statements) {
		if (!record.spend(10)) return;
		recordStatement(statement, session);
	}
	recordUnnamed(session);
}

/** What is changed without being named: what a listing in the same text has found. */
function recordUnnamed({ record, listed, unnamed }: Session): void {
	for (const { access, text, replaces } of unnamed) {
		for (const { path, only } of listed) {
			if (!record.spend(10)) return;
			record.touch(access, path, text, {
				recursive: true,
				...(replaces && { replaces }),
				...(only !== undefined && { only: [only] }),
			});
		}
		if (access === "delete" && listed.length > 0)
			record.run({ program: "remove-item", args: [null], text, effects: ["recursive-delete"], changes: [] });
	}
}

interface Session {
	readonly record: Record;
	readonly dialect: Dialect;
	readonly place: PowerShellPlace;
	readonly variables: Map<string, string>;
	directories: Directories;
	/** Folders whose content was listed, as absolute paths, with the names that were asked for. */
	readonly listed: { readonly path: string; readonly only?: string }[];
	/** Changes of files that come through a pipe or stand in a variable. */
	readonly unnamed: { readonly access: "write" | "delete"; readonly text: string; readonly replaces?: true }[];
}

function lookUp(name: string, { record, variables, directories }: Session): string | undefined {
	const { around } = record;
	if (name === "home" || name === "userprofile" || name === "env:userprofile" || name === "env:home")
		return around.home;
	if (name === "pwd" || name === "cd") return directories?.length === 1 ? directories[0] : undefined;
	if (name === "null") return "";
	if (name === "true" || name === "false") return name;
	if (name === "env:temp" || name === "env:tmp" || name === "temp" || name === "tmp") return around.temp;
	const plain = name.replace(/^env:/, "");
	return variables.get(name) ?? (plain === name ? undefined : (around.env(plain) ?? around.env(plain.toUpperCase())));
}

function recordUnknownText(text: string, record: Record): void {
	record.unknown({ what: "script", text: shown(text), may: everyAccess });
	record.run({
		program: "invoke-expression",
		args: [null],
		text: shown(text),
		effects: ["run-unknown-text"],
		changes: [],
	});
}

function recordStatement(statement: Statement, session: Session): void {
	const { record } = session;
	const text = statement.words.map(spell).join(" ").slice(0, 2000);
	for (const { target, appends } of statement.outputs) {
		if (/^(\$null|nul|nul:)$/i.test(target) || target === "") continue;
		touchWord(
			record,
			"write",
			expandHome(target, record),
			session.directories,
			text,
			appends ? {} : { replaces: true },
		);
	}
	if (statement.kind === "expression") {
		// `foreach ($x in listing)`
		const listing = /^\$\w+\s+in\s+(?![$(@'"])(.+)$/is.exec(statement.source)?.[1];
		const names = { get: (name: string) => lookUp(name, session), set: () => {} };
		for (const inner of listing === undefined ? [] : (readStatements(listing, session.dialect, names) ?? []))
			if (record.spend(10)) recordStatement(inner, session);
		if (/::|\.\w+\(/.test(statement.source)) {
			record.unknown({ what: "script", text: statement.source, may: everyAccess });
			recordFileCalls(statement.source, session);
			if (/\.delete\(/i.test(statement.source))
				session.unnamed.push({ access: "delete", text: shown(text) || statement.source });
		}
		return;
	}
	const [name, ...args] = statement.words;
	if (name === undefined || name === "") return;
	if (!isKnown(name)) {
		record.unknown({ what: "command", text: shown(text), may: everyAccess });
		record.run({
			program: null,
			args: args.map((arg) => (isKnown(arg) ? arg : null)),
			text: shown(text),
			effects: [],
			changes: [],
		});
		return;
	}
	const cmdlet = findCmdlet(name.replace(/\.exe$/i, ""));
	if (!cmdlet) {
		session.place.run(statement.words, session.directories);
		return;
	}
	recordCmdlet(name.toLowerCase(), cmdlet, args, statement.piped, text, session);
}

/** `[IO.File]::ReadAllText('x')` and its kin, as far as their paths are literals. */
function recordFileCalls(source: string, session: Session): void {
	const { record, directories } = session;
	for (const [, kind = "", method = "", , path = "", rest = ""] of source.matchAll(
		/\[(?:System\.)?IO\.(File|Directory|FileInfo|DirectoryInfo)\]::(\w+)\(\s*(["'])([^"'$]{1,300})\3([^)]{0,300})/gi,
	)) {
		const place = expandHome(path, record);
		const second = /^\s*,\s*(["'])([^"'$]{1,300})\1/.exec(rest)?.[2];
		const all = /^directory/i.test(kind) && /true/i.test(rest);
		const detail = all ? { recursive: true } : {};
		const access = methodAccess(method);
		touchWord(
			record,
			access,
			place,
			directories,
			source,
			access === "write" && /^(WriteAll|Create)/i.test(method) ? { replaces: true } : detail,
		);
		if (second !== undefined && /^(Copy|Move|Replace)/i.test(method)) {
			touchWord(record, "write", expandHome(second, record), directories, source, { replaces: true });
			if (/^Move/i.test(method)) touchWord(record, "delete", place, directories, source, { recursive: true });
		}
		if (access === "delete" && all)
			record.run({
				program: "remove-item",
				args: [path],
				text: shown(source).slice(0, 2000),
				effects: ["recursive-delete", "force-delete"],
				changes: [],
			});
	}
}

function methodAccess(method: string): Access {
	if (/^Delete/i.test(method)) return "delete";
	if (/^(Write|Append|Create|Open|Set)/i.test(method)) return "write";
	return /^(Exists|Get(Files|Directories)|Enumerate)/i.test(method) ? "list" : "read";
}

/** A word of parameters: `-Recurse`, `-Path:x`, and cmd's `/s`. */
function parameterName(word: string, dialect: Dialect): string | undefined {
	const dashed = /^-([A-Za-z]\w*):?$/.exec(word)?.[1];
	if (dashed) return dashed.toLowerCase();
	const slashed =
		dialect === "cmd" || /^\/[a-z?]$/i.test(word) ? /^\/([a-z?]\w*)(?::.*)?$/i.exec(word)?.[1] : undefined;
	return slashed?.toLowerCase();
}

const switches =
	/^(r|rec|recu|recur|recurs|recurse|s|f|fo|for|forc|force|q|y|confirm|whatif|wi|verbose|passthru|append|noclobber|raw|wait|hidden|file|directory|name|allmatches|caseesensitive|simplematch|list|quiet|nonewline|asplaintext|usebasicparsing|a|b|p|e|i|n|c|l|v|x|h|o|d|t)$/;

function recordCmdlet(
	name: string,
	cmdlet: Cmdlet,
	args: readonly string[],
	piped: boolean,
	text: string,
	session: Session,
): void {
	const { record, dialect } = session;
	const given = new Map<string, string>();
	const operands: string[] = [];
	for (let at = 0; at < args.length; at++) {
		const word = args[at] ?? "";
		const parameter = parameterName(word, dialect);
		if (parameter === undefined) operands.push(word);
		else if (switches.test(parameter) && !Object.hasOwn(cmdlet.parameters ?? {}, parameter)) given.set(parameter, "");
		else given.set(parameter, args[++at] ?? "");
	}
	const path = given.get("path") ?? given.get("literalpath") ?? given.get("lp") ?? given.get("pspath");
	const places = path === undefined ? operands : [path, ...operands];
	const has = (full: string, least: number) =>
		[...given.keys()].some((key) => key.length >= least && full.startsWith(key));
	const recursive = has("recurse", 1) || given.has("s");
	const effects = new Set<Effect>(cmdlet.effects);
	if (given.has("whatif") || given.has("wi")) return;
	for (const [index, place] of places.entries()) {
		const role = cmdlet.paths?.[Math.min(index, cmdlet.paths.length - 1)];
		if (role) play(role, place, recursive, text, session);
	}
	for (const [parameter, role] of Object.entries(cmdlet.parameters ?? {})) {
		const value = given.get(parameter);
		if (value !== undefined) play(role, value, recursive, text, session);
	}
	if (lists.test(name)) {
		const only = given.get("filter") ?? given.get("include");
		for (const word of places.length > 0 ? places : ["."])
			for (const path of absolutePaths(expandHome(word.replace(/[\\/]\*$/, ""), record), session.directories, record) ??
				[])
				session.listed.push({ path, ...(only !== undefined && isKnown(only) && { only }) });
	}
	// In a pipe, and with what a variable of it holds, nothing is named.
	const change = changeOf(cmdlet);
	if (change && (piped || places.length > 0) && !places.some(isKnown))
		session.unnamed.push({ ...change, text: shown(text) });
	if (places.length === 0 && cmdlet.here) touchWord(record, cmdlet.here, ".", session.directories, text, { recursive });
	if (cmdlet.paths?.[0] === "delete") {
		if (recursive) effects.add("recursive-delete");
		if (has("force", 1) || given.has("q")) effects.add("force-delete");
		// Paths that come through the pipe are not in the words.
		if (piped && places.length === 0) record.unknown({ what: "operand", text, may: ["delete"] });
	} else if (
		piped &&
		places.length === 0 &&
		cmdlet.paths?.some((role) => role === "replace" || role === "move" || role === "write")
	)
		record.unknown({ what: "operand", text, may: ["write"] });
	if (name === "kill" || name === "taskkill" || name === "stop-process")
		if (has("force", 1) && places.some((one) => one === "*" || one === "-1")) effects.add("kill-all");
	if (cmdlet.enters) enter(places[0], name, session);
	if (cmdlet.runs === "text") runText(places, piped, effects, session);
	if (cmdlet.runs === "program") {
		const program = given.get("filepath") ?? places[0];
		if (program !== undefined)
			session.place.run(
				[program, ...places.slice(1), ...(given.get("argumentlist") ?? "").split(/\s+/).filter((word) => word !== "")],
				session.directories,
			);
		if (/^runas$/i.test(given.get("verb") ?? "")) effects.add("privilege");
	}
	record.run({
		program: name,
		args: args.map((arg) => (isKnown(arg) ? arg : null)),
		text: shown(text),
		effects: [...effects],
		changes: cmdlet.changes ?? [],
	});
}

const lists = /^(?:get-childitem|gci|ls|dir|get-item|gi|resolve-path|rvpa)$/;

/** How a cmdlet changes the files that it is given. */
function changeOf({ paths: [role] = [] }: Cmdlet): Pick<Session["unnamed"][number], "access" | "replaces"> | undefined {
	if (role === "delete" || role === "move") return { access: "delete" };
	return role === "replace" ? { access: "write", replaces: true } : undefined;
}

function play(
	role: Access | "replace" | "move" | "text",
	word: string,
	recursive: boolean,
	text: string,
	session: Session,
): void {
	if (role === "text" || word === "") return;
	const { record } = session;
	const detail = {
		...(recursive && { recursive }),
		...(role === "move" && { recursive: true }),
		...(role === "replace" && { replaces: true }),
	};
	const access = role === "replace" ? "write" : role === "move" ? "delete" : role;
	for (const place of word.split(",")) {
		const path = expandHome(place.trim(), record);
		// A wildcard stands for names below its folder.
		const glob = /^(.*?)([^/\\]*[*?][^/\\]*)$/.exec(path);
		if (glob?.[2])
			touchWord(record, access, glob[1] === "" ? "." : (glob[1] ?? "."), session.directories, text, {
				...detail,
				recursive: true,
				only: [glob[2]],
			});
		else touchWord(record, access, path, session.directories, text, detail);
	}
}

function expandHome(word: string, record: Record): string {
	return word === "~" || /^~[/\\]/.test(word) ? record.around.home + word.slice(1) : word;
}

function enter(word: string | undefined, name: string, session: Session): void {
	if (name.startsWith("pop")) {
		session.directories = undefined;
		return;
	}
	const paths =
		word === undefined
			? [session.record.around.home]
			: absolutePaths(expandHome(word, session.record), session.directories, session.record);
	session.directories = paths?.map((path) => pathRules(session.record.around).normalize(path));
}

function runText(places: readonly string[], piped: boolean, effects: Set<Effect>, session: Session): void {
	const text = places.join(" ");
	const { record, dialect, place, directories } = session;
	if (!isKnown(text) || text === "") {
		if (text === "" && !piped) return;
		effects.add("run-unknown-text");
		record.unknown({
			what: "script",
			text: text === "" ? "input of invoke-expression" : shown(text),
			may: everyAccess,
		});
	}
	if (!isBlank(text)) recordPowerShell(text, dialect, record, { ...place, directories, depth: place.depth + 1 });
}
