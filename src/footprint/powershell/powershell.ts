// Records what PowerShell and cmd text would do, in less detail than for shell text. Control flow is not followed: every statement counts once.
// P1 a command outside the table is judged as a program; P2 a change with an unknown target counts as a change of any file of the project, and
// a removal as one of whole directories.
import type { Effect } from "../effects.ts";
import type { AccessKind } from "../footprint.ts";
import { pathRules } from "../paths.ts";
import { absolutePaths, accessVerb, type Directories } from "../places.ts";
import type { FootprintRecord } from "../record.ts";
import { displayText, isBlank, isKnown, spell } from "../text.ts";
import { type Cmdlet, findCmdlet, type PathRole, pathParameters } from "./cmdlets.ts";
import { type Dialect, type Names, readStatements, type Statement } from "./statements.ts";

/** Where the text runs, and how other programs are judged. */
export interface PowerShellPlace {
	readonly directories: Directories;
	readonly run: (words: readonly string[], directories: Directories) => void;
	/** Nesting depth of texts (`Invoke-Expression`). */
	readonly depth: number;
}

interface Session extends PowerShellPlace {
	readonly record: FootprintRecord;
	readonly dialect: Dialect;
	directories: Directories;
}

/** A cmdlet with its arguments. */
interface Invocation {
	readonly name: string;
	readonly cmdlet: Cmdlet;
	/** Paths by `-Path` and operands, in order. */
	readonly operands: readonly string[];
	/** Values of parameters by their names in lower case; those of switches are empty. */
	readonly parameters: ReadonlyMap<string, string>;
	readonly piped: boolean;
	/** The command in normalized spelling. */
	readonly text: string;
	readonly effects: Set<Effect>;
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
	if (isBlank(text)) {
		if (text.trim() !== "") recordCommand(record, "invoke-expression", [text], text, ["run-unknown-text"], "script");
		return;
	}
	const session: Session = { ...place, record, dialect };
	// PowerShell takes either separator on every system.
	const source = record.host.platform === "win32" ? text : text.replace(/\\(?=[\w.])/g, "/");
	const statements =
		text.length > MAX_TEXT || place.depth > MAX_DEPTH
			? undefined
			: readStatements(source, dialect, namesIn(session, new Map()));
	if (!statements) record.overflow("a command longer than can be judged");
	for (const statement of statements ?? []) {
		if (!record.spend(10)) return;
		recordStatement(statement, session);
	}
}

/** The variables that text assigns, automatic ones, and those of the environment. */
function namesIn({ record: { host }, directories }: Session, variables: Map<string, string>): Names {
	const automatic: { readonly [name: string]: string | undefined } = {
		home: host.home,
		userprofile: host.home,
		temp: host.temp,
		tmp: host.temp,
		pwd: directories?.length === 1 ? directories[0] : undefined,
		true: "true",
		false: "false",
		null: "",
	};
	const environment = (name: string) => host.env(name) ?? host.env(name.toUpperCase());
	return {
		get(name) {
			const [, inEnvironment] = /^env:(.*)/.exec(name) ?? [];
			const plain = inEnvironment ?? name;
			if (variables.has(name)) return variables.get(name);
			if (Object.hasOwn(automatic, plain)) return automatic[plain];
			return inEnvironment === undefined ? undefined : environment(inEnvironment);
		},
		set: (name, value) => void variables.set(name, value),
	};
}

function recordCommand(
	record: FootprintRecord,
	program: string | null,
	args: readonly string[],
	text: string,
	effects: readonly Effect[],
	unknown?: "script" | "command",
): void {
	record.run({ program, args, text: displayText(text), effects });
	if (unknown) record.unknown({ what: unknown, text: displayText(text) });
}

function recordStatement(statement: Statement, session: Session): void {
	const { record } = session;
	const text = statement.words.map(spell).join(" ").slice(0, 2000);
	for (const { target, appends } of statement.outputs)
		if (!/^(\$null|nul:?|)$/i.test(target)) accessPath(appends ? "write" : "replace", target, text, session);
	const [name = "", ...args] = statement.words;
	const cmdlet = isKnown(name) ? findCmdlet(name) : undefined;
	if (statement.kind === "expression") recordMethods(statement.source, text, session);
	else if (!isKnown(name)) recordCommand(record, null, args, text, [], "command");
	else if (cmdlet && isControl(name, session)) recordStatement(controlled(statement), session);
	else if (cmdlet) recordCmdlet(name.toLowerCase(), cmdlet, args, statement.piped, text, session);
	else if (name !== "") session.run(statement.words, session.directories);
}

function isControl(name: string, { dialect }: Session): boolean {
	return dialect === "cmd" && /^(if|else|for|in|do)$/i.test(name);
}

/** `if exist f del f`: the command after cmd's control words. */
function controlled(statement: Statement): Statement {
	const at = statement.words.findIndex((word, index) => index > 0 && isKnown(word) && findCmdlet(word));
	return { ...statement, words: at < 0 ? [] : statement.words.slice(at), outputs: [] };
}

/** The roles of the paths that methods get, by the start of the name. */
const methods: readonly (readonly [name: RegExp, roles: readonly PathRole[]])[] = [
	[/^delete/i, ["move"]],
	[/^move/i, ["move", "replace"]],
	[/^(copy|replace)/i, ["read", "replace"]],
	[/^(writeall|create)/i, ["replace"]],
	[/^(write|append|open|set)/i, ["write"]],
	[/^(exists|get(files|directories)|enumerate)/i, ["list"]],
	[/^read/i, ["read"]],
];

/** Methods of .NET that an expression calls: `[IO.File]::Delete('a')`. Only literal paths are known. */
function recordMethods(source: string, text: string, session: Session): void {
	if (!/::|\.\w+\(/.test(source)) return;
	const { record } = session;
	record.unknown({ what: "script", text: source });
	for (const [, name = "", list = ""] of source.matchAll(/(?:::|\.)(\w+)\(([^()]{0,1000})/g)) {
		const [, roles = []] = methods.find(([pattern]) => pattern.test(name)) ?? [];
		const paths = [...list.matchAll(/'([^']{1,300})'|"([^"$]{1,300})"/g)].map((found) => found[1] ?? found[2] ?? "");
		for (const [at, role] of roles.entries()) accessPath(role, paths[at] ?? "", source, session);
		const removes = /^delete/i.test(name) && (paths.length === 0 || /true/i.test(list));
		if (removes) recordCommand(record, "remove-item", paths, text || source, ["recursive-delete"]);
	}
}

/** The name of a parameter: `-Recurse`, `-Path:x`, and cmd's `/s`. */
function parameterName(word: string, dialect: Dialect): string | undefined {
	const pattern = dialect === "cmd" ? /^[-/]([a-z?]\w*)(?::.*)?$/i : /^-([a-z]\w*):?$|^\/([a-z?])$/i;
	const [, dashed, slashed] = pattern.exec(word) ?? [];
	return (dashed ?? slashed)?.toLowerCase();
}

/** Parameters without a value, which are often abbreviated. */
const switches =
	/^(\w|rec|recu|recur|recurs|recurse|fo|for|forc|force|confirm|whatif|wi|verbose|passthru|append|noclobber|raw|wait|hidden|file|directory|name|allmatches|casesensitive|simplematch|list|quiet|nonewline|asplaintext|usebasicparsing)$/;

function readArguments(
	args: readonly string[],
	cmdlet: Cmdlet,
	dialect: Dialect,
): Pick<Invocation, "operands" | "parameters"> {
	const parameters = new Map<string, string>();
	const operands: string[] = [];
	for (let at = 0; at < args.length; at++) {
		const word = args[at] ?? "";
		const name = parameterName(word, dialect);
		if (name === undefined) operands.push(word);
		else if (switches.test(name) && !Object.hasOwn(cmdlet.parameters ?? {}, name)) parameters.set(name, "");
		else if (/^(path|literalpath|lp|pspath|filepath)$/.test(name)) operands.unshift(args[++at] ?? "");
		else parameters.set(name, args[++at] ?? "");
	}
	return { operands, parameters };
}

function recordCmdlet(
	name: string,
	cmdlet: Cmdlet,
	args: readonly string[],
	piped: boolean,
	text: string,
	session: Session,
): void {
	const given = readArguments(args, cmdlet, session.dialect);
	const call: Invocation = { name, cmdlet, ...given, piped, text, effects: new Set(cmdlet.effects) };
	const { operands, parameters, effects } = call;
	if (parameters.has("whatif") || parameters.has("wi")) return;
	accessOperands(call, session);
	const changes = new Set(cmdlet.changes);
	if (recordUnnamed(call, session)) changes.add("worktree");
	if (cmdlet.onAll && operands.includes("*")) effects.add(cmdlet.onAll);
	if (cmdlet.enters) enterDirectory(operands[0], name, session);
	if (cmdlet.runs === "text") runText(call, session);
	if (cmdlet.runs === "program") {
		const words = (parameters.get("argumentlist") ?? "").split(/\s+/).filter((word) => word !== "");
		if (operands.length > 0) session.run([...operands, ...words], session.directories);
		if (/^runas$/i.test(parameters.get("verb") ?? "")) effects.add("privilege");
	}
	session.record.run({
		program: name,
		args,
		text: displayText(text),
		effects: [...effects],
		changes: [...changes],
	});
}

function has({ parameters }: Invocation, full: string): boolean {
	return [...parameters.keys()].some((key) => full.startsWith(key));
}

function accessOperands(call: Invocation, session: Session): void {
	const { cmdlet, operands, parameters, effects, text } = call;
	const recursive = has(call, "recurse") || parameters.has("s");
	for (const [index, word] of operands.entries()) {
		const role = cmdlet.paths?.[Math.min(index, cmdlet.paths.length - 1)];
		if (role) accessPath(role, word, text, session, recursive);
	}
	for (const [name, word] of parameters) {
		const role = { ...pathParameters, ...cmdlet.parameters }[name];
		if (role) accessPath(role, word, text, session, recursive);
	}
	if (operands.length === 0 && cmdlet.here) accessPath(cmdlet.here, ".", text, session, recursive);
	// `robocopy /MIR` and `/PURGE` remove what the source does not have, `/MOV` and `/MOVE` the source.
	if (call.name === "robocopy" && operands.some((word) => /^\/(mir|purge|mov|move)$/i.test(word)))
		effects.add("recursive-delete");
	if (cmdlet.paths?.[0] !== "delete") return;
	if (recursive) effects.add("recursive-delete");
	if (has(call, "force") || parameters.has("q")) effects.add("force-delete");
}

/** Records a change of files from a pipe or a variable. Returns whether there is one. */
function recordUnnamed({ cmdlet, operands, piped, text, effects }: Invocation, { record }: Session): boolean {
	const access = accessOf(cmdlet.paths?.[0] ?? "text");
	const targets = cmdlet.paths?.length === 1 ? operands : operands.slice(0, 1);
	const isNamed = targets.length === 0 ? !piped : targets.every(isKnown);
	if ((access !== "write" && access !== "delete") || isNamed) return false;
	if (operands.length === 0) record.unknown({ what: "operand", text: displayText(text), may: [access] });
	if (access === "delete") effects.add("recursive-delete");
	return true;
}

function accessOf(role: PathRole): AccessKind | undefined {
	if (role === "text") return undefined;
	if (role === "replace") return "write";
	return role === "move" ? "delete" : role;
}

function accessPath(role: PathRole, words: string, text: string, session: Session, recursive = false): void {
	const access = accessOf(role);
	if (!access || words === "") return;
	const detail = { recursive: recursive || role === "move", replaces: role === "replace" };
	for (const word of words.split(",")) {
		const path = expandHome(word.trim(), session.record);
		// A wildcard represents names below its folder.
		const [, folder = "", glob] = /^(.*?)([^/\\]*[*?][^/\\]*)$/.exec(path) ?? [];
		const place = glob === undefined ? path : folder === "" ? "." : folder;
		const below = glob === undefined ? {} : { recursive: true, only: [glob] };
		accessVerb(session.record, access, place, session.directories, text, { ...detail, ...below });
	}
}

function expandHome(word: string, record: FootprintRecord): string {
	return /^~(?:[/\\]|$)/.test(word) ? record.host.home + word.slice(1) : word;
}

function enterDirectory(word: string | undefined, name: string, session: Session): void {
	const { record, directories } = session;
	const target = word === undefined ? record.host.home : expandHome(word, record);
	const paths = name.startsWith("pop") ? undefined : absolutePaths(target, directories, record);
	session.directories = paths?.map((path) => pathRules(record.host).normalize(path));
}

function runText({ operands, piped, effects }: Invocation, session: Session): void {
	const text = operands.join(" ");
	if (text === "" && !piped) return;
	if (!isKnown(text) || text === "") {
		effects.add("run-unknown-text");
		const about = text === "" ? "input of invoke-expression" : displayText(text);
		session.record.unknown({ what: "script", text: about });
	}
	const { dialect, record } = session;
	if (!isBlank(text)) recordPowerShell(text, dialect, record, { ...session, depth: session.depth + 1 });
}
