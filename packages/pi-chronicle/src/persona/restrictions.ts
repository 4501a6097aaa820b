// Restrictions in an agent file: the documented fields of agent-team, Claude Code and OpenCode. Each is honored in the nearest stricter meaning.
// Any other field that restricts is an error with its place; nothing here ever widens an agent's tools.
import {
	isListed,
	type MapEntry,
	type MapNode,
	type Node,
	quoted,
	type Report,
	type Source,
} from "@pi-chronicle/core/definition";
import { readText, readWordList } from "./read-values.ts";
import { readToolName } from "./tool-names.ts";

/** The tools that an agent may never have, regardless of the state's list. */
export interface Restrictions {
	/** Denied tool names and `*` patterns. */
	readonly denied: readonly string[];
	/** The only tools that it may have; `undefined`: no such limit. */
	readonly only: readonly string[] | undefined;
}

/** Read-only tools. */
export const READING: readonly string[] = ["read", "grep", "find", "ls"];

interface RestrictionReading {
	readonly source: Source;
	readonly report: Report;
	deny(...names: string[]): void;
	only(names: readonly string[]): void;
}

type Handler = (entry: MapEntry, key: string, reading: RestrictionReading) => void;

/** By key, in lower case and without anything but letters. */
const handlers: Readonly<Record<string, Handler>> = {
	readonly: readReadonly,
	disallowedtools: readDenied,
	allowedtools: readAllowed,
	permissionmode: readMode,
	isolation: readIsolation,
	hooks: readHooks,
	mode: readWorkMode,
	permission: readPermissions,
};

/** Keys whose names imply a restriction. */
const restricting =
	/^(den(y|ied)|disallow|forbid|block|exclud|restrict|permission|sandbox|approval|askfor|disabled|no(write|bash|shell|exec)|tools(deny|black|exclude))|(black|white)list$/;

/** Whether `readRestrictions` handles the field with this key. */
export function isRestriction(key: string): boolean {
	const plain = plainKey(key);
	return restricting.test(plain) || Object.hasOwn(handlers, plain);
}

/** Reads every restricting field of an agent file. */
export function readRestrictions(fields: MapNode, source: Source, report: Report): Restrictions {
	const denied = new Set<string>();
	let only: readonly string[] | undefined;
	const reading: RestrictionReading = {
		source,
		report,
		deny: (...names) => {
			for (const name of names) denied.add(name);
		},
		only: (names) => {
			only = only === undefined ? names : only.filter((name) => isListed(names, name));
		},
	};
	for (const [key, entry] of fields.entries) {
		const plain = plainKey(key);
		const handler = Object.hasOwn(handlers, plain) ? handlers[plain] : undefined;
		if (handler) handler(entry, key, reading);
		else if (restricting.test(plain)) {
			fail(entry, reading, `The field ${quoted(key)} restricts the agent in an unknown way.`);
		}
	}
	const tools = fields.entries.get("tools");
	if (tools?.value.kind === "map") readSwitches(tools.value, reading);
	return { denied: [...denied], only };
}

/** Splits `tools` by the restrictions into `kept` and removed (`left`). A pattern that matches a denied tool is removed as a whole. */
export function keepAllowed(
	tools: readonly string[],
	{ denied, only }: Restrictions,
): { readonly kept: readonly string[]; readonly left: readonly string[] } {
	const allowed = (tool: string) =>
		(only === undefined || isListed(only, tool)) &&
		!denied.some((pattern) => isListed([pattern], tool) || (tool.includes("*") && isListed([tool], pattern)));
	return { kept: tools.filter(allowed), left: tools.filter((tool) => !allowed(tool)) };
}

function plainKey(key: string): string {
	return key.toLowerCase().replace(/[^a-z]/g, "");
}

function readDenied({ value }: MapEntry, key: string, reading: RestrictionReading): void {
	for (const { text, start } of readWordList(value, key, reading.source, reading.report))
		denyTool(text, start, reading);
}

/** Denies one tool, as written in the file. */
function denyTool(written: string, start: number, { source, report, deny }: RestrictionReading): void {
	const parsed = readToolName(written, "denied");
	if (parsed.kind === "all") deny("*");
	if (parsed.kind === "unknown") report.error(source.place(start), { ...parsed.problem, code: "unknown-denied-tool" });
	if (parsed.kind === "tools") deny(...parsed.names);
	if (parsed.kind === "limited") {
		deny(...parsed.names);
		report.warn(source.place(start), {
			code: "limited-tool",
			message: `${quoted(written)} forbids a tool only for some arguments, which cannot be enforced, so the whole tool is removed.`,
			remedy: "Put argument limits into the guard's rules, and remove this.",
		});
	}
	if (parsed.kind === "foreign") {
		deny(parsed.name);
		report.warn(source.place(start), {
			code: "foreign-tool",
			message: `The tool ${quoted(written)} does not exist; it stays forbidden if an extension adds it.`,
			remedy: "Leave it for other programs that read this file, or correct its name.",
		});
	}
}

function readAllowed({ value }: MapEntry, key: string, { source, report, only }: RestrictionReading): void {
	const names = readWordList(value, key, source, report).flatMap(({ text }) => {
		const parsed = readToolName(text, "denied");
		// A tool that is allowed only for some arguments is not allowed at all.
		if (parsed.kind === "tools") return parsed.names;
		return parsed.kind === "foreign" ? [parsed.name] : parsed.kind === "all" ? ["*"] : [];
	});
	only(names);
}

/** `tools: { write: false }`: denies the tools that are switched off. */
function readSwitches(map: MapNode, reading: RestrictionReading): void {
	for (const [name, { value, keyStart }] of map.entries) {
		if (value.kind === "scalar" && value.value === false && name !== "*") denyTool(name, keyStart, reading);
	}
}

function readReadonly({ value, keyStart }: MapEntry, key: string, reading: RestrictionReading): void {
	const setting = value.kind === "scalar" ? value.value : undefined;
	const word = (readText(value) ?? "").toLowerCase();
	if (setting === true || /^(true|yes|on)$/.test(word)) reading.only(READING);
	else if (setting !== false && !/^(false|no|off)$/.test(word))
		fail({ value, keyStart }, reading, `${quoted(key)} is neither true nor false.`);
}

function readMode(entry: MapEntry, key: string, reading: RestrictionReading): void {
	const word = plainKey(readText(entry.value) ?? "");
	// With `dontAsk`, only previously allowed tools may run: here, the read-only tools.
	if (word === "plan" || word === "dontask") reading.only(READING);
	else if (!/^(|default|acceptedits|bypasspermissions|auto)$/.test(word))
		fail(entry, reading, `${quoted(readText(entry.value) ?? "")} in \`${key}\` is not a known mode.`);
}

/** In OpenCode, `mode` is how the agent may be started, or the plan mode. */
function readWorkMode(entry: MapEntry, key: string, reading: RestrictionReading): void {
	const word = plainKey(readText(entry.value) ?? "");
	if (word === "plan") reading.only(READING);
	else if (!/^(|primary|subagent|all|build)$/.test(word))
		fail(entry, reading, `${quoted(readText(entry.value) ?? "")} in \`${key}\` is not a known mode.`);
}

function readIsolation(entry: MapEntry, key: string, reading: RestrictionReading): void {
	if (plainKey(readText(entry.value) ?? "") === "") return;
	fail(entry, reading, `\`${key}\` requires a copy of the project, but a worker works in the project itself.`);
}

/** OpenCode's `{ bash: deny }`. `ask` counts as `deny`, because no user is present to ask. */
function readPermissions(entry: MapEntry, key: string, reading: RestrictionReading): void {
	const { value } = entry;
	if (value.kind !== "map") {
		const whole = permissionOf(value);
		if (whole === undefined) fail(entry, reading, `\`${key}\` is not a known permission.`);
		else if (whole !== "allow") reading.deny("*");
		return;
	}
	const allowed: string[] = [];
	let others: Permission = "allow";
	for (const [name, inner] of value.entries) {
		const permission = permissionOf(inner.value);
		if (permission === undefined) fail(inner, reading, `The permission for ${quoted(name)} is unknown.`);
		else if (name === "*") others = permission;
		else if (permission === "allow") allowed.push(...toolsNamed(name));
		else closeTool(name, permission, inner, reading);
	}
	if (others !== "allow") reading.only(allowed);
}

type Permission = "allow" | "deny" | "ask";

/** Denies a tool with the permission `deny` or `ask`. */
function closeTool(name: string, permission: "deny" | "ask", inner: MapEntry, reading: RestrictionReading): void {
	if (name === "doom_loop") return;
	if (name === "external_directory") {
		if (permission === "deny")
			fail(inner, reading, "Access outside the project cannot be restricted for a single agent.");
		return;
	}
	const tools = toolsNamed(name);
	for (const tool of tools) reading.deny(tool);
	if (tools.length === 0) denyTool(name, inner.keyStart, reading);
}

/** The permission in a node; `deny` if it is allowed only for some arguments; `undefined` if unknown. */
function permissionOf(node: Node): Permission | undefined {
	if (node.kind === "map") {
		const inner = [...node.entries.values()].map(({ value }) => permissionOf(value));
		if (inner.includes(undefined)) return undefined;
		return inner.every((each) => each === "allow") ? "allow" : "deny";
	}
	if (node.kind === "scalar" && typeof node.value === "boolean") return node.value ? "allow" : "deny";
	const word = readText(node)?.toLowerCase();
	return word === "allow" || word === "deny" || word === "ask" ? word : undefined;
}

/** The tools that a permission covers: `edit` covers every change to a file. */
function toolsNamed(name: string): readonly string[] {
	if (/^(edit|write|patch)$/i.test(name)) return ["edit", "write"];
	const parsed = readToolName(name, "denied");
	return parsed.kind === "tools" ? parsed.names : [];
}

/** Hooks do not run here; one that may forbid calls is an error. */
function readHooks(entry: MapEntry, key: string, reading: RestrictionReading): void {
	const { value } = entry;
	if (value.kind === "scalar" && value.value === null) return;
	if (value.kind !== "map") {
		fail(entry, reading, `\`${key}\` is not a known list of hooks.`);
		return;
	}
	for (const [event, inner] of value.entries) {
		if (/^(PreToolUse|PermissionRequest)$/i.test(event))
			fail(inner, reading, `The hook ${quoted(event)} may forbid calls, but hooks do not run.`);
		else
			reading.report.warn(reading.source.place(inner.keyStart), {
				code: "no-hooks",
				message: `The hook ${quoted(event)} does not run.`,
				remedy: "Use a state's `cleanup` or a separate state instead.",
			});
	}
}

function fail(
	{ value, keyStart }: Pick<MapEntry, "value" | "keyStart">,
	{ source, report }: RestrictionReading,
	message: string,
): void {
	report.error(source.place(value.start > keyStart ? value.start : keyStart), {
		code: "unknown-restriction",
		message,
		remedy:
			"Remove the field, and forbid tools with `disallowedTools` or `readonly: true`, or put rules into the guard's file.",
	});
}
