// Records what PowerShell and cmd text would do, by the class of its verbs. Control flow is not followed: every statement counts once.
// A command outside the table is judged as a program; a change with an unknown target counts as a change of any file of the project, and
// a removal as one of whole directories.
import type { Effect } from "../effects.ts";
import type { AccessKind } from "../footprint.ts";
import { pathRules } from "../paths.ts";
import { absolutePaths, accessVerb, type Directories, harmOf } from "../places.ts";
import type { FootprintRecord } from "../record.ts";
import { displayText, isBlank, isKnown, spell, UNKNOWN_VALUE } from "../text.ts";
import { type Cmdlet, findCmdlet, type PathRole, pathParameters } from "./cmdlets.ts";
import { type Dialect, readStatements, type Statement } from "./statements.ts";

/** Where the text runs, and how other programs are judged. */
export interface PowerShellPlace {
	readonly directories: Directories;
	readonly run: (words: readonly string[], directories: Directories) => void;
	/** Nesting depth of texts (`Invoke-Expression`). */
	readonly depth: number;
}

interface PowerShellState extends PowerShellPlace {
	readonly record: FootprintRecord;
	readonly dialect: Dialect;
	directories: Directories;
}

const MAX_TEXT = 200_000;
const MAX_DEPTH = 6;

/** Records what PowerShell or cmd text would do. */
export function recordPowerShell(
	text: string,
	dialect: Dialect,
	record: FootprintRecord,
	place: PowerShellPlace,
): void {
	if (text.trim() === "") return;
	if (isBlank(text)) {
		record.run({ program: "invoke-expression", args: [text], text: displayText(text), effects: ["run-unknown-text"] });
		record.unknown({ what: "script", text: displayText(text) });
		return;
	}
	const session: PowerShellState = { ...place, record, dialect };
	// PowerShell takes either separator on every system.
	const source = record.host.platform === "win32" ? text : text.replace(/\\(?=[\w.])/g, "/");
	const isLong = text.length > MAX_TEXT || place.depth > MAX_DEPTH;
	const statements = isLong ? undefined : readStatements(source, (name) => automaticValue(name, session));
	if (!statements) record.overflow("a command longer than can be judged");
	for (const statement of statements ?? []) {
		if (!record.spend(10)) return;
		recordStatement(statement, session);
	}
}

/** The value of a variable that the text does not assign, by its name in lower case. */
function automaticValue(name: string, { record: { host }, directories }: PowerShellState): string | undefined {
	const plain = name.replace(/^env:/, "");
	if (plain === "home" || plain === "userprofile") return host.home;
	if (plain === "temp" || plain === "tmp") return host.temp;
	if (plain === "profile") return `${host.home}/Documents/PowerShell/profile.ps1`;
	if (plain === "pwd") return directories?.length === 1 ? directories[0] : undefined;
	if (/^(true|false|null)$/.test(plain)) return plain === "null" ? "" : plain;
	return plain === name ? undefined : (host.env(plain) ?? host.env(plain.toUpperCase()));
}

function recordStatement({ words, outputs, piped, isExpression, source }: Statement, session: PowerShellState): void {
	const { record, dialect } = session;
	const text = words.map(spell).join(" ").slice(0, 2000);
	for (const { target, appends } of outputs)
		if (!/^(\$null|nul:?|)$/i.test(target)) accessPath(appends ? "write" : "replace", target, text, session);
	const [name = "", ...args] = words;
	const cmdlet = isKnown(name) ? findCmdlet(name) : undefined;
	if (isExpression) recordMethods(source, text, session);
	else if (!isKnown(name)) {
		record.run({ program: null, args, text: displayText(text) });
		record.unknown({ what: "command", text: displayText(text) });
	} else if (dialect === "cmd" && /^(if|else|for|in|do)$/i.test(name)) {
		// `if exist f del f`: the command after cmd's control words.
		const at = args.findIndex((word) => isKnown(word) && findCmdlet(word));
		if (at >= 0) recordStatement({ words: args.slice(at), outputs: [], piped, isExpression, source }, session);
	} else if (cmdlet) recordCmdlet({ name: name.toLowerCase(), cmdlet, piped, text }, args, session);
	else if (name !== "") session.run(words, session.directories);
}

/** The roles of the paths that methods of .NET get, by the start of the name: `[IO.File]::Delete('a')`. */
const methods: readonly (readonly [name: RegExp, roles: readonly PathRole[]])[] = [
	[/^delete/i, ["move"]],
	[/^move/i, ["move", "replace"]],
	[/^(copy|replace)/i, ["read", "replace"]],
	[/^(writeall|create)/i, ["replace"]],
	[/^(write|append|open|set)/i, ["write"]],
	[/^read/i, ["read"]],
];

function recordMethods(source: string, text: string, session: PowerShellState): void {
	if (!/::|\.\w+\(/.test(source)) return;
	const { record } = session;
	record.unknown({ what: "script", text: source });
	for (const [, name = "", list = ""] of source.matchAll(/(?:::|\.)(\w+)\(([^()]{0,1000})/g)) {
		const [, roles = []] = methods.find(([pattern]) => pattern.test(name)) ?? [];
		const paths = [...list.matchAll(/'([^']{1,300})'|"([^"$]{1,300})"/g)].map((found) => found[1] ?? found[2] ?? "");
		for (const [at, role] of roles.entries()) accessPath(role, paths[at] ?? "", source, session);
		if (/^delete/i.test(name) && (paths.length === 0 || /true/i.test(list)))
			record.run({ program: "remove-item", args: paths, text: text || source, effects: ["recursive-delete"] });
	}
}

/** A cmdlet that is called. */
interface Invocation {
	readonly name: string;
	readonly cmdlet: Cmdlet;
	readonly piped: boolean;
	/** The command in normalized spelling. */
	readonly text: string;
}

/** Parameters without a value, which are often abbreviated. */
const switches =
	/^(\w|recu?r?s?e?|fo(rce?)?|confirm|wh?a?t?if|wi|verbose|passthru|append|noclobber|raw|wait|hidden|file|directory|name|allmatches|casesensitive|simplematch|list|quiet|nonewline|usebasicparsing)$/;

/** Paths by `-Path` and operands, in order, and the values of parameters by their names in lower case; those of switches are empty. */
function readCmdletArguments(args: readonly string[], { parameters: own = {} }: Cmdlet, dialect: Dialect) {
	const pattern = dialect === "cmd" ? /^[-/]([a-z?]\w*)(?::.*)?$/i : /^-([a-z]\w*):?$|^\/([a-z?])$/i;
	const parameters = new Map<string, string>();
	const operands: string[] = [];
	for (let at = 0; at < args.length; at++) {
		const word = args[at] ?? "";
		const [, dashed, slashed] = pattern.exec(word) ?? [];
		const name = (dashed ?? slashed)?.toLowerCase();
		if (name === undefined) operands.push(word);
		else if (switches.test(name) && !Object.hasOwn(own, name)) parameters.set(name, "");
		else if (/^(path|literalpath|lp|pspath|filepath)$/.test(name)) operands.unshift(args[++at] ?? "");
		else parameters.set(name, args[++at] ?? "");
	}
	return { operands, parameters };
}

function recordCmdlet(call: Invocation, args: readonly string[], session: PowerShellState): void {
	const { name, cmdlet, text } = call;
	const { operands, parameters } = readCmdletArguments(args, cmdlet, session.dialect);
	if (parameters.has("whatif") || parameters.has("wi")) return;
	const effects = new Set<Effect>(cmdlet.effects);
	accessArguments(call, operands, parameters, effects, session);
	const changes = new Set(cmdlet.changes);
	if (recordUnnamed(call, operands, effects, session)) changes.add("worktree");
	if (cmdlet.enters) enterDirectory(operands[0], name, session);
	if (cmdlet.runs === "text") runText(call, operands.join(" "), effects, session);
	if (cmdlet.runs === "program") {
		const words = (parameters.get("argumentlist") ?? "").split(/\s+/).filter((word) => word !== "");
		if (operands.length > 0) session.run([...operands, ...words], session.directories);
		if (/^runas$/i.test(parameters.get("verb") ?? "")) effects.add("privilege");
	}
	session.record.run({ program: name, args, text: displayText(text), effects, changes });
}

function accessArguments(
	{ cmdlet, text }: Invocation,
	operands: readonly string[],
	parameters: ReadonlyMap<string, string>,
	effects: Set<Effect>,
	session: PowerShellState,
): void {
	const { paths = [], here } = cmdlet;
	const has = (full: string, letter: string) =>
		parameters.has(letter) || [...parameters.keys()].some((key) => full.startsWith(key));
	const recursive = has("recurse", "s");
	const given = [
		...operands.map((word, at) => [paths[Math.min(at, paths.length - 1)], word] as const),
		...[...parameters].map(([name, word]) => [{ ...pathParameters, ...cmdlet.parameters }[name], word] as const),
		...(operands.length === 0 ? [[here, "."] as const] : []),
	];
	for (const [role, word] of given) if (role) accessPath(role, word, text, session, recursive);
	// `robocopy /MIR` and `/PURGE` remove what the source does not have, `/MOV` and `/MOVE` the source.
	if (paths[1] === "delete" && operands.some((word) => /^\/(mir|purge|mov|move)$/i.test(word)))
		effects.add("recursive-delete");
	for (const [effect, words] of Object.entries(cmdlet.harms ?? {})) if (words.test(text)) effects.add(effect as Effect);
	if (paths[0] !== "delete") return;
	if (recursive) effects.add("recursive-delete");
	if (has("force", "q")) effects.add("force-delete");
}

/** Records a change of files from a pipe or a variable. Returns whether there is one. */
function recordUnnamed(
	{ cmdlet, piped, text }: Invocation,
	operands: readonly string[],
	effects: Set<Effect>,
	{ record }: PowerShellState,
): boolean {
	const access = roleAccess(cmdlet.paths?.[0] ?? "text");
	const targets = cmdlet.paths?.length === 1 ? operands : operands.slice(0, 1);
	const isNamed = targets.length === 0 ? !piped : targets.every(isKnown);
	if ((access !== "write" && access !== "delete") || isNamed) return false;
	if (operands.length === 0) record.unknown({ what: "operand", text: displayText(text), may: [access] });
	if (access === "delete") effects.add("recursive-delete");
	return true;
}

function roleAccess(role: PathRole): AccessKind | undefined {
	if (role === "text") return undefined;
	if (role === "replace") return "write";
	return role === "move" ? "delete" : role;
}

function accessPath(role: PathRole, words: string, text: string, session: PowerShellState, recursive = false): void {
	const access = roleAccess(role);
	if (!access || words === "") return;
	const detail = { recursive: recursive || role === "move", replaces: role === "replace" };
	for (const word of words.split(",")) {
		const path = expandHome(word.trim(), session.record);
		// A wildcard represents names below its folder.
		const [, folder = "", glob] = /^(.*?)([^/\\]*[*?][^/\\]*)$/.exec(path) ?? [];
		const place = glob === undefined ? path : folder === "" ? "." : folder;
		const below = glob === undefined ? {} : { recursive: true, only: [glob] };
		const paths = accessVerb(session.record, access, place, session.directories, text, { ...detail, ...below });
		const effects = paths.flatMap((each) => (access === "read" ? [] : (harmOf(each, session.record.host) ?? [])));
		if (effects.length > 0) session.record.run({ program: "set-content", text, effects });
	}
}

function expandHome(word: string, record: FootprintRecord): string {
	return /^~(?:[/\\]|$)/.test(word) ? record.host.home + word.slice(1) : word;
}

function enterDirectory(word: string | undefined, name: string, session: PowerShellState): void {
	const { record, directories } = session;
	const target = word === undefined ? record.host.home : expandHome(word, record);
	const paths = name.startsWith("pop") ? undefined : absolutePaths(target, directories, record);
	session.directories = paths?.map((path) => pathRules(record.host).normalize(path));
}

function runText({ piped }: Invocation, given: string, effects: Set<Effect>, session: PowerShellState): void {
	const text = given === "" && piped ? UNKNOWN_VALUE : given;
	if (text === "") return;
	const { dialect, record } = session;
	if (!isKnown(text)) {
		effects.add("run-unknown-text");
		record.unknown({ what: "script", text: displayText(text) });
	}
	if (!isBlank(text)) recordPowerShell(text, dialect, record, { ...session, depth: session.depth + 1 });
}
