// The footprint of any other tool (MCP servers, extensions): walks its arguments for paths, patches, commands, program text and calls of
// further tools.
// A1 such a tool is also an unknown, unless its effect is known; A2 the walk is bounded.
import { agentCall, nameWords } from "./agent-tools.ts";
import { isStrings, recordArgumentCommands } from "./argument-commands.ts";
import type { Effect } from "./effects.ts";
import { recordFileTool } from "./file-tools.ts";
import type { AccessKind, Annotations } from "./footprint.ts";
import { innerCalls } from "./inner-calls.ts";
import { listedCalls } from "./listed-calls.ts";
import { openTexts } from "./open-texts.ts";
import { resolveReadPath, resolveToolPath } from "./paths.ts";
import { judgeSqlText } from "./programs/index.ts";
import { everyAccess, type FootprintRecord } from "./record.ts";
import { openState, walkWords } from "./shell/index.ts";
import { spell } from "./text.ts";
import { effectOf, type KnownTools, onlyListsTools, type ToolEffect } from "./tool-effects.ts";

const MAX_DEPTH = 8;
const MAX_STRINGS = 500;
/** Maximum nesting of gateways. */
const MAX_GATEWAYS = 4;

const pathKeys =
	/^(paths?|files?|file_?names?|file_?paths?|dir(ector(y|ies))?s?|folders?|root(_?dir)?|cwd|work_?(ing_?)?dir(ectory)?|base_?dir|src|source(_?(path|file))?|dest(ination)?(_?(path|file))?|target(_?(path|file|dir))?|from|to|old_?path|new_?path|uri|abs(olute)?_?path|rel(ative)?_?path(_in_workspace)?|target_file|output(_?(path|file|dir))?|input(_?(path|file))?|notebook(_?path)?|document|location|include|exclude)$/i;
const sqlKeys = /^(sql|statements?|quer(y|ies))$/i;
const sqlTools =
	/sql|postgres|pg(?=_|$)|mysql|maria|sqlite|duckdb|clickhouse|snowflake|bigquery|supabase|neon|cockroach|database|(?:^|_)db(?:_|$)/i;
/** Arguments that hold an agent's prompt. */
const proseKeys = /^(prompt|task|instructions?|goal|objective|assignment|task_?description)$/i;
const patchKeys = /^(patch|diff|input|content|text|changes)$/i;

interface FoundCommand {
	readonly value: string;
	readonly key: string;
}

/** The tool being called, with the known facts about it. */
export interface OtherTool {
	readonly name: string;
	readonly known?: KnownTools | undefined;
	readonly annotations?: Annotations | undefined;
	/** It belongs to the caller: calls and processes that it starts are measured separately. */
	readonly own?: boolean | undefined;
}

/** Records what any other tool may access, based on its name, its arguments and the known facts about it. */
export function recordOtherTool(tool: OtherTool, input: unknown, record: FootprintRecord): void {
	const opened = tool.own ? { value: input, complete: true } : openTexts(input);
	if (!opened.complete) record.overflow(`more arguments of ${tool.name} than can be judged`);
	recordTool(tool, opened.value, record, 0);
}

function recordTool(tool: OtherTool, input: unknown, record: FootprintRecord, depth: number): void {
	const { name, known, annotations, own } = tool;
	const effect = own ? undefined : effectOf(name, input, known);
	const reads = effect === "read" || (own === true && annotations?.readOnlyHint === true);
	const accesses = reads ? (["read"] as const) : accessesOf(verbOf(input) ?? name);
	const agent = agentOf(tool, input);
	// The caller's own tools take prose and their own names, not paths; each call they make is measured separately.
	if (!own) {
		recordPaths(name, agent === "starts" ? withoutProse(input, 0) : input, accesses, record);
		recordArgumentCommands(input, name, record);
		recordProgramTool(name, input, record);
		recordRemoval(name, input, accesses, record);
	}
	if (agent === "starts") startAgentCall(name, record);
	const inner = own ? [] : innerOf(tool, input, effect, record, depth);
	const onlyReads = agent !== "starts" && (reads || (agent === "looks" && isReading(accesses)));
	const may = mayDo({ reads: onlyReads, effect, annotations, input, inner });
	if (may.length > 0) record.unknown({ what: "tool", text: name, may });
}

/** Records the calls that a gateway passes on. Returns, for each, whether it only reads. */
function innerOf(
	{ name, known }: OtherTool,
	input: unknown,
	effect: ToolEffect | undefined,
	record: FootprintRecord,
	depth: number,
): readonly boolean[] {
	// A tool that the user has set to `read` passes nothing on.
	if (effect === "read" && known?.effectOf(name) === "read") return [];
	const { calls, complete } = innerCalls(input, effect === "dispatch", name);
	if (!complete || (depth >= MAX_GATEWAYS && calls.length > 0))
		record.overflow(`more calls within ${name} than can be judged`);
	for (const { names } of calls) record.call(...names);
	for (const { tool } of depth === 0 ? listedCalls(input).calls : []) record.call(tool);
	if (depth >= MAX_GATEWAYS) return calls.map(() => false);
	return calls.map((call) => {
		const inner =
			[call.qualified, call.name].find((each) => known?.effectOf(each) || known?.annotationsOf(each)) ?? call.name;
		const arguments_ = typeof call.input === "object" && call.input !== null ? call.input : {};
		if (recordFileTool(call.name, arguments_ as { readonly [key: string]: unknown }, record))
			return isReader(call.name);
		recordTool({ name: inner, known, annotations: known?.annotationsOf(inner) }, call.input, record, depth + 1);
		return effectOf(inner, call.input, known) === "read";
	});
}

/** Harms that a tool's name and the action it is given name together. */
const namedHarms: readonly (readonly [Effect, RegExp])[] = [
	["sql-drop", /\b(?:drop|truncate|wipe|purge) (?:table|collection|database|schema|db)s?\b/],
	["store-flush", /\bflush (?:all|db|cache)\b|\bflush(?:all|db)\b/],
	[
		"delete-infrastructure",
		/\b(?:delete|destroy|terminate|remove) (?:\w+ )?(?:bucket|stack|cluster|instance|namespace|droplet|server|project|volume|group|zone)s?\b/,
	],
];

/** Records the removal of data or of a whole folder that the arguments of a tool ask for. */
function recordRemoval(tool: string, input: unknown, accesses: readonly AccessKind[], record: FootprintRecord): void {
	const entries = typeof input === "object" && input !== null ? Object.entries(input) : [];
	const actions = entries.flatMap(([key, value]) =>
		/^(?:action|operation|op|method|verb)$/i.test(key) ? [value] : [],
	);
	const words = nameWords([tool, ...actions].join(" ")).join(" ");
	const isWhole = accesses.includes("delete") && entries.some(([key, value]) => key === "recursive" && value === true);
	const effects: Effect[] = namedHarms.flatMap(([effect, names]) => (names.test(words) ? [effect] : []));
	if (isWhole) effects.push("recursive-delete");
	if (effects.length > 0) record.run({ program: tool, text: tool, effects });
}

/** Records a call such as `mcp__git__push { force: true }` as the command that it means. */
function recordProgramTool(tool: string, input: unknown, record: FootprintRecord): void {
	const [, program = "", verb] =
		/(?:^|[^a-z])(git|docker|podman|kubectl|helm|terraform)[^a-z]+([a-z][a-z-]*)$/i.exec(tool) ?? [];
	if (verb === undefined || typeof input !== "object" || input === null) return;
	const words = Object.entries(input).flatMap(([key, value]) => {
		if (value === true) return [`--${key.replaceAll("_", "-")}`];
		if (isStrings(value)) return value.map((each) => `--${key.replace(/s$/, "")}=${each}`);
		return typeof value === "string" && !/path|repo|message|branch|remote/i.test(key) ? [value] : [];
	});
	// After an operand, an option may belong to what the program runs.
	const ordered = [...words.filter((word) => word.startsWith("-")), ...words.filter((word) => !word.startsWith("-"))];
	walkWords([program.toLowerCase(), verb, ...ordered], openState(record.host), record);
}

function isReading(accesses: readonly AccessKind[]): boolean {
	return accesses.every((access) => access === "read" || access === "list");
}

function isReader(fileTool: string): boolean {
	return fileTool !== "write" && fileTool !== "edit";
}

/** The user's setting outweighs the tool's name; a hint of the tool's author does not. */
function agentOf({ name, known, own }: OtherTool, input: unknown): ReturnType<typeof agentCall> {
	const set = known?.effectOf(name);
	if (own || (set !== undefined && set !== "agent" && set !== "dispatch")) return undefined;
	return agentCall(name, input) ?? (set === "agent" ? "starts" : undefined);
}

/** The arguments of a tool that starts an agent, without the prompt, because a task that begins with a slash names no file. */
function withoutProse(input: unknown, depth: number): unknown {
	if (typeof input !== "object" || input === null || depth > MAX_DEPTH) return input;
	if (Array.isArray(input)) return input.map((item) => withoutProse(item, depth + 1));
	return Object.fromEntries(
		Object.entries(input)
			.filter(([key, value]) => typeof value !== "string" || !proseKeys.test(key))
			.map(([key, value]) => [key, withoutProse(value, depth + 1)]),
	);
}

function startAgentCall(name: string, record: FootprintRecord): void {
	record.run({ program: name, text: name, effects: ["nested-agent"] });
}

/** The accesses that a tool may make beyond those in its arguments; empty if they are all known. */
function mayDo(about: {
	readonly reads: boolean;
	readonly effect: ToolEffect | undefined;
	readonly annotations: Annotations | undefined;
	readonly input: unknown;
	readonly inner: readonly boolean[];
}): readonly AccessKind[] {
	const { reads, effect, annotations, input, inner } = about;
	const innerReads = inner.every((each) => each);
	if (effect === "write") return innerReads ? [] : everyAccess;
	if (reads) return innerReads ? ["read", "list"] : everyAccess;
	if (effect === "dispatch" && innerReads && (inner.length > 0 || onlyListsTools(input))) return ["read", "list"];
	return annotations?.destructiveHint === false ? ["read", "list", "write", "link"] : everyAccess;
}

function recordPaths(tool: string, input: unknown, accesses: readonly AccessKind[], record: FootprintRecord): void {
	const found: FoundCommand[] = [];
	if (!collectArguments(input, "", 0, found)) record.overflow(`more arguments of ${tool} than can be judged`);
	for (const { key, value } of found) {
		if (patchKeys.test(key)) recordPatch(value, tool, record);
		if (isPathLike(value, key)) recordPath(record, value, accesses, tool);
	}
	if (sqlTools.test(tool)) for (const { key, value } of found) if (sqlKeys.test(key)) recordSql(value, tool, record);
}

const removing = /^(?:\w*(?:delete|remove|unlink|trash|erase)|rm)$/;
const moving = /^(?:\w*(?:move|rename)|mv)$/;
const writing =
	/^(?:\w*(?:write|edit|create|update|patch|save|append|insert|replace|apply|modify|copy|mkdir|touch|format|refactor|download|export)|put|set)$/;

/** The accesses that a tool's name suggests for its path arguments. */
function accessesOf(tool: string): readonly AccessKind[] {
	const words = nameWords(tool);
	const says = (verbs: RegExp) => words.some((word) => verbs.test(word));
	if (says(removing)) return ["read", "delete"];
	if (says(moving)) return ["read", "write", "delete"];
	return says(writing) ? ["read", "write"] : ["read"];
}

/** The operation that an argument selects for a tool with several operations (`command: "view"`). */
function verbOf(input: unknown): string | undefined {
	if (typeof input !== "object" || input === null) return undefined;
	const verb = Object.entries(input).find(([name]) =>
		/^(command|action|operation|op|mode|method|verb)$/i.test(name),
	)?.[1];
	return typeof verb === "string" &&
		/^(view|read|open|get|list|show|cat|search|stat|info|write|create|edit|insert|append|str_replace|replace|update|delete|remove|move|rename|mkdir|undo_edit|undo)$/i.test(
			verb,
		)
		? verb
		: undefined;
}

function recordPath(record: FootprintRecord, argument: string, accesses: readonly AccessKind[], tool: string): void {
	const paths = spellingsOf(argument).flatMap(
		(written) => resolveReadPath(written, record.host) ?? resolveToolPath(written, record.host) ?? [],
	);
	for (const path of new Set(paths)) for (const access of accesses) record.access(access, path, tool);
}

/** Spellings that another tool may accept for a path: variables for the home directory, and leniently parsed file URLs (`file://~/x`). */
function spellingsOf(argument: string): readonly string[] {
	const url = /^@?file:(?:\/\/(?:localhost(?=\/))?)?(.*)$/is.exec(argument);
	const texts = url ? [argument, url[1] ?? "", decoded(url[1] ?? "")] : [argument];
	return texts.map((text) =>
		text
			.replace(/^\/(?=[a-z]:|[~$%])/i, "")
			.replace(/^(?:\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)(?=[/\\]|$)/i, "~"),
	);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** Collects strings with their keys; keys that look like paths count as strings. False if a bound was reached. */
function collectArguments(value: unknown, key: string, depth: number, found: FoundCommand[]): boolean {
	if (found.length >= MAX_STRINGS || depth > MAX_DEPTH) return false;
	if (typeof value === "string") {
		found.push({ value, key });
		return true;
	}
	if (Array.isArray(value)) return value.every((item) => collectArguments(item, key, depth + 1, found));
	if (typeof value !== "object" || value === null) return true;
	return Object.entries(value).every(([name, item]) => {
		if (/[/\\]|^\.\w/.test(name)) found.push({ value: name, key: "path" });
		return collectArguments(item, name, depth + 1, found);
	});
}

function isPathLike(text: string, key: string): boolean {
	if (text === "" || text.length > 4096 || /[\n\r]/.test(text)) return false;
	if (/^@?file:/i.test(text)) return true;
	if (/^[a-z][a-z0-9+.-]+:(\/\/|[^\\/])/i.test(text)) return false;
	if (pathKeys.test(key)) return true;
	const path = text.replace(/^@/, "");
	if (/^(~([/\\]|$)|\.{1,2}[/\\]|\/[^/*\s]|[A-Za-z]:[\\/]|\.\w[\w.-]*$)/.test(path)) return true;
	return /^[\w.@-]+([/\\][\w.@ -]+)+$/.test(path) || /^[\w-][\w.-]*\.\w{1,12}$/.test(path);
}

const patchHeaders =
	/^(?:\*\*\* (Add|Update|Delete|Move to)(?: File)?: |(---|\+\+\+) (?:[ab]\/)?|(rename from) )([^\t\n]+)/gm;
const MAX_PATCH = 200_000;

/** Records the files that a patch's headers name: changed, and also deleted if a header removes or moves them. */
function recordPatch(text: string, tool: string, record: FootprintRecord): void {
	let last = "";
	let seen = 0;
	for (const [, verb, side, rename, name = ""] of text.slice(0, MAX_PATCH).matchAll(patchHeaders)) {
		if (++seen > MAX_STRINGS) return;
		const path = name.trim();
		const isNothing = path === "/dev/null";
		const removed = isNothing ? (side === "+++" ? last : "") : removedBy(verb, rename, path, last);
		if (removed !== "") recordPath(record, removed, ["delete"], tool);
		if (isNothing || path === "") continue;
		recordPath(record, path, ["read", "write"], tool);
		last = path;
	}
}

/** The file that a header removes: the named one, or for a move the `last` one; empty if there is none. */
function removedBy(verb: string | undefined, rename: string | undefined, path: string, last: string): string {
	if (verb === "Move to") return last;
	return verb === "Delete" || rename ? path : "";
}

/** Records SQL among the arguments of a database tool. */
function recordSql(text: string, tool: string, record: FootprintRecord): void {
	const { effects, changes } = judgeSqlText(text);
	if (effects.length === 0 && changes.length === 0) return;
	record.run({ program: tool, args: [text], text: `${tool} ${spell(text)}`.slice(0, 2000), effects, changes });
}
