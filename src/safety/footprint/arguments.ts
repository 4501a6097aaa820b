// The footprint of any other tool (MCP servers, extensions): a walk over its arguments for what looks like paths, patches and commands.
// A1 such a tool is always an unknown as well, unless its server says that it only reads; A2 the walk is bounded.
import type { Access, Annotations } from "./footprint.ts";
import { resolveReadPath, resolveToolPath } from "./paths.ts";
import { judgeSqlText } from "./programs/index.ts";
import { everyAccess, type Record } from "./record.ts";
import { openState, walkShell, walkWords } from "./shell/index.ts";
import { spell } from "./text.ts";

const MAX_DEPTH = 8;
const MAX_STRINGS = 500;

const pathKeys =
	/^(paths?|files?|file_?names?|file_?paths?|dir(ector(y|ies))?s?|folders?|root(_?dir)?|cwd|work_?(ing_?)?dir(ectory)?|base_?dir|src|source(_?(path|file))?|dest(ination)?(_?(path|file))?|target(_?(path|file|dir))?|from|to|old_?path|new_?path|uri|abs(olute)?_?path|rel(ative)?_?path(_in_workspace)?|target_file|output(_?(path|file|dir))?|input(_?(path|file))?|notebook(_?path)?|document|location|include|exclude)$/i;
const commandKeys =
	/^(command(_?line)?|cmd(_?line)?|shell(_?command)?|script|bash|exec(ute)?|run|terminal_?command|argv|commands)$/i;
/** Program text, of a shell where another argument says so. */
const codeKeys = /^(code|source_?code|program|snippet)$/i;
const shellLanguage = /^(ba|z|k|da)?sh$|^shell(script)?$|^(ba|z)sh[- ]/i;
const sqlKeys = /^(sql|statements?|quer(y|ies))$/i;
const sqlTools =
	/sql|postgres|pg(?=_|$)|mysql|maria|sqlite|duckdb|clickhouse|snowflake|bigquery|supabase|neon|cockroach|database|(?:^|_)db(?:_|$)/i;
const patchKeys = /^(patch|diff|input|content|text|changes)$/i;
const directoryKeys = /^(cwd|work_?(ing_?)?dir(ectory)?)$/i;

interface Found {
	readonly value: string;
	readonly key: string;
}

/** Records what a tool of another extension may touch, by its name, arguments and annotations. */
export function recordOtherTool(
	tool: string,
	input: unknown,
	annotations: Annotations | undefined,
	record: Record,
): void {
	const accesses = accessesOf(verbOf(input) ?? tool, annotations);
	const found: Found[] = [];
	const complete = collect(input, "", 0, found);
	if (!complete) record.overflow(`more arguments of ${tool} than can be judged`);
	for (const { key, value } of found) {
		if (patchKeys.test(key)) recordPatch(value, tool, record);
		if (looksLikePath(value, key)) touch(record, value, accesses, tool);
	}
	recordCommands(input, record, 0);
	if (sqlTools.test(tool)) for (const { key, value } of found) if (sqlKeys.test(key)) recordSql(value, tool, record);
	record.unknown({
		what: "tool",
		text: tool,
		may: annotations?.readOnlyHint === true ? ["read", "list"] : mayDo(annotations),
	});
}

function mayDo(annotations: Annotations | undefined): readonly Access[] {
	return annotations?.destructiveHint === false ? ["read", "list", "write", "link"] : everyAccess;
}

/** What a tool's name and annotations suggest that it does to the paths it is given. */
function accessesOf(tool: string, annotations: Annotations | undefined): readonly Access[] {
	if (annotations?.readOnlyHint === true) return ["read"];
	const words = tool
		.replace(/([a-z])([A-Z])/g, "$1_$2")
		.toLowerCase()
		.split(/[^a-z]+/);
	const says = (...verbs: readonly string[]) =>
		words.some((word) => verbs.some((verb) => word === verb || (verb.length > 3 && word.endsWith(verb))));
	if (says("delete", "remove", "unlink", "trash", "rm", "erase")) return ["read", "delete"];
	if (says("move", "rename", "mv")) return ["read", "write", "delete"];
	if (
		says(
			"write",
			"edit",
			"create",
			"update",
			"patch",
			"save",
			"append",
			"insert",
			"replace",
			"apply",
			"put",
			"set",
			"modify",
			"copy",
			"mkdir",
			"touch",
			"format",
			"refactor",
			"download",
			"export",
		)
	)
		return ["read", "write"];
	return ["read"];
}

/** What one of several things a tool does this call asks for, where an argument says it (`command: "view"`). */
function verbOf(input: unknown): string | undefined {
	if (typeof input !== "object" || input === null) return undefined;
	const said = Object.entries(input).find(([name]) =>
		/^(command|action|operation|op|mode|method|verb)$/i.test(name),
	)?.[1];
	return typeof said === "string" &&
		/^(view|read|open|get|list|show|cat|search|stat|info|write|create|edit|insert|append|str_replace|replace|update|delete|remove|move|rename|mkdir|undo_edit|undo)$/i.test(
			said,
		)
		? said
		: undefined;
}

function touch(record: Record, argument: string, accesses: readonly Access[], tool: string): void {
	const written = argument.replace(/^(?:\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)(?=[/\\]|$)/i, "~");
	const path = resolveReadPath(written, record.around) ?? resolveToolPath(written, record.around);
	if (path === undefined) return;
	for (const access of accesses) record.touch(access, path, tool);
}

/** Gathers strings with the keys they stand under; keys that look like paths count as strings. False where the bound was reached. */
function collect(value: unknown, key: string, depth: number, found: Found[]): boolean {
	if (found.length >= MAX_STRINGS || depth > MAX_DEPTH) return false;
	if (typeof value === "string") {
		found.push({ value, key });
		return true;
	}
	if (Array.isArray(value)) return value.every((item) => collect(item, key, depth + 1, found));
	if (typeof value !== "object" || value === null) return true;
	return Object.entries(value).every(([name, item]) => {
		if (/[/\\]|^\.\w/.test(name)) found.push({ value: name, key: "path" });
		return collect(item, name, depth + 1, found);
	});
}

function looksLikePath(text: string, key: string): boolean {
	if (text === "" || text.length > 4096 || /[\n\r]/.test(text)) return false;
	if (/^file:\/\//.test(text)) return true;
	if (/^[a-z][a-z0-9+.-]+:(\/\/|[^\\/])/i.test(text)) return false;
	if (pathKeys.test(key)) return true;
	const path = text.replace(/^@/, "");
	if (/^(~([/\\]|$)|\.{1,2}[/\\]|\/[^/*\s]|[A-Za-z]:[\\/]|\.\w[\w.-]*$)/.test(path)) return true;
	return /^[\w.@-]+([/\\][\w.@ -]+)+$/.test(path) || /^[\w-][\w.-]*\.\w{1,12}$/.test(path);
}

/** Files named in the headers of a patch: changed, and removed where it says so or moves them. */
function recordPatch(text: string, tool: string, record: Record): void {
	let last: string | undefined;
	let seen = 0;
	for (const [, verb = "", side = "", rename = "", name = ""] of text
		.slice(0, 200_000)
		.matchAll(
			/^(?:\*\*\* (Add|Update|Delete|Move to)(?: File)?: |(---|\+\+\+) (?:[ab]\/)?|(rename from) )([^\t\n]+)/gm,
		)) {
		if (++seen > MAX_STRINGS) return;
		const path = name.trim();
		const removed =
			path === "/dev/null"
				? side === "+++"
					? last
					: undefined
				: verb === "Delete" || rename !== ""
					? path
					: verb === "Move to"
						? last
						: undefined;
		if (removed !== undefined) touch(record, removed, ["delete"], tool);
		if (path === "/dev/null" || path === "") continue;
		touch(record, path, ["read", "write"], tool);
		last = path;
	}
}

/** SQL among the arguments of a tool that talks to a database. */
function recordSql(text: string, tool: string, record: Record): void {
	const { effects, changes } = judgeSqlText(text);
	if (effects.length === 0 && changes.length === 0) return;
	record.run({ program: tool, args: [text], text: `${tool} ${spell(text)}`.slice(0, 2000), effects, changes });
}

/** Shell text and command lists among the arguments are walked as a shell tool's would be. */
function recordCommands(input: unknown, record: Record, depth: number): void {
	if (typeof input !== "object" || input === null || depth > 3) return;
	const entries = Object.entries(input);
	const folder = entries.find(([name, value]) => directoryKeys.test(name) && typeof value === "string")?.[1];
	const cwd = typeof folder === "string" ? resolveToolPath(folder, record.around) : undefined;
	const state = cwd === undefined ? openState(record.around) : { ...openState(record.around), cwd: [cwd] };
	for (const [name, value] of entries) {
		const language = entries.find(([other]) => /^(lang(uage)?|shell|interpreter|runtime)$/i.test(other))?.[1];
		const code = codeKeys.test(name) && typeof language === "string" && shellLanguage.test(language);
		if (!commandKeys.test(name) && !code) {
			recordCommands(value, record, depth + 1);
			continue;
		}
		if (typeof value === "string") {
			const args = entries.find(([other, list]) => /^arg(ument)?s$/i.test(other) && isStrings(list))?.[1];
			if (isStrings(args) && !/\s/.test(value)) walkWords([value, ...args], state, record);
			else walkShell(value, state, record);
		} else if (isStrings(value)) walkWords(value, state, record);
	}
}

function isStrings(value: unknown): value is readonly string[] {
	return (
		Array.isArray(value) && value.length > 0 && value.length <= 1000 && value.every((item) => typeof item === "string")
	);
}
