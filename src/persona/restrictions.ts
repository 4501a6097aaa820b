// Restrictions in an agent file, in the fields of every program that reads such files. Each is honored in the nearest stricter meaning, or
// reported as an error with its place. R1 no restricting field is silently ignored; R2 nothing here ever widens an agent's tools.
import {
	isListed,
	type MapEntry,
	type MapNode,
	type Node,
	quoted,
	type Report,
	type Source,
} from "../definition/index.ts";
import { readText, readWordList } from "./read-values.ts";
import { readToolName, type ToolName } from "./tool-names.ts";

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

const handlers: readonly (readonly [RegExp, Handler])[] = [
	[
		/^(disallow(ed)?|den(y|ied)|exclud(e|ed)|block(ed)?|forbidden|disabled)tools?$|^(deny|tools?(deny|denied|blacklist|exclude))$|^blacklist$/,
		readDenied,
	],
	[/^allow(ed)?tools?$|^(tools?)?whitelist$/, readAllowed],
	[/^readonly$/, readReadonly],
	[/^permissionmode$/, readMode],
	[/^mode$/, readWorkMode],
	[/^permissions?$/, readPermissions],
	[/^sandbox(mode|policy)?$/, readSandbox],
	[/^isolation$/, readIsolation],
	[/^(approval|approvalpolicy|approvalmode|askforapproval)$/, readApproval],
	[/^hooks$/, readHooks],
];

/** Keys whose names imply a restriction. */
const restricting =
	/^(deny|denied|disallow|forbid|block|exclud|restrict|permission|sandbox|approval|nowrite|nobash|noshell|noexec)/;

/** Whether `readRestrictions` handles the field with this key. */
export function isRestriction(key: string): boolean {
	const plain = plainKey(key);
	return restricting.test(plain) || handlers.some(([keys]) => keys.test(plain));
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
		const handler = handlers.find(([keys]) => keys.test(plain))?.[1];
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
	const parsed: ToolName = readToolName(written.replace(/^!/, ""), "denied");
	switch (parsed.kind) {
		case "all":
			deny("*");
			return;
		case "none":
			return;
		case "tool":
			deny(parsed.name);
			return;
		case "limited":
			deny(...parsed.names);
			report.warn(source.place(start), {
				code: "limited-tool",
				message: `${quoted(written)} forbids a tool only for some arguments, which cannot be enforced, so the whole tool is removed.`,
				remedy: "Put argument limits into the guard's rules, and remove this.",
			});
			return;
		case "absent":
			return;
		case "foreign":
			deny(parsed.name);
			report.warn(source.place(start), {
				code: "foreign-tool",
				message: `The tool ${quoted(written)} does not exist; it stays forbidden if an extension adds it.`,
				remedy: "Leave it for other programs that read this file, or correct its name.",
			});
			return;
		case "unknown":
			report.error(source.place(start), { ...parsed.problem, code: "unknown-denied-tool" });
	}
}

function readAllowed({ value }: MapEntry, key: string, { source, report, only }: RestrictionReading): void {
	const names = readWordList(value, key, source, report).flatMap(({ text }) => {
		const parsed = readToolName(text, "denied");
		// A tool that is allowed only for some arguments is not allowed at all.
		return parsed.kind === "tool" || parsed.kind === "foreign" ? [parsed.name] : parsed.kind === "all" ? ["*"] : [];
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
	if (word === "plan" || word === "dontask" || word === "readonly") reading.only(READING);
	else if (!/^(|default|acceptedits|bypasspermissions|auto|manual|delegate|inherit)$/.test(word))
		fail(entry, reading, `${quoted(readText(entry.value) ?? "")} in \`${key}\` is not a known mode.`);
}

/** In other programs, `mode` defines how the agent may be started, or that it only plans. */
function readWorkMode(entry: MapEntry, _key: string, { only }: RestrictionReading): void {
	if (/^(plan|planning|ask|read|readonly|review)$/.test(plainKey(readText(entry.value) ?? ""))) only(READING);
}

function readSandbox(entry: MapEntry, key: string, reading: RestrictionReading): void {
	const { value } = entry;
	const word = plainKey(readText(value) ?? "");
	if (/^(readonly|workspacewrite)$/.test(word)) reading.only(READING);
	else if (!/^(|dangerfullaccess|none|off|false|no)$/.test(word) || value.kind === "map" || value.kind === "list")
		fail(entry, reading, `\`${key}\` requires a sandbox, which a single agent cannot have.`);
}

function readIsolation(entry: MapEntry, key: string, reading: RestrictionReading): void {
	if (/^(|none|off|false|no|shared)$/.test(plainKey(readText(entry.value) ?? ""))) return;
	fail(entry, reading, `\`${key}\` requires a copy of the project, but a worker works in the project itself.`);
}

function readApproval(entry: MapEntry, key: string, reading: RestrictionReading): void {
	if (/^(|never|off|none|auto|false|no|yolo)$/.test(plainKey(readText(entry.value) ?? ""))) return;
	fail(entry, reading, `\`${key}\` requires confirmation of calls, which an agent file cannot configure.`);
}

/** OpenCode's `{ bash: deny }` and Claude's `{ deny: […], ask: […] }`. `ask` counts as `deny`, because no user is present to ask. */
function readPermissions(entry: MapEntry, key: string, reading: RestrictionReading): void {
	const { value } = entry;
	if (value.kind !== "map") {
		readWholePermission(entry, key, reading);
		return;
	}
	const allowed: string[] = [];
	let others: Permission = "allow";
	for (const [name, inner] of value.entries) {
		if (readPermissionList(inner, name, reading)) continue;
		const permission = permissionOf(inner.value);
		if (permission === undefined) fail(inner, reading, `The permission for ${quoted(name)} is unknown.`);
		else if (name === "*") others = permission;
		else if (permission === "allow") allowed.push(...toolsNamed(name));
		else closeTool(name, permission, inner, reading);
	}
	if (others !== "allow") reading.only(allowed);
}

type Permission = "allow" | "deny" | "ask";

/** `permission: deny`. */
function readWholePermission(entry: MapEntry, key: string, reading: RestrictionReading): void {
	const word = (readText(entry.value) ?? "").toLowerCase();
	if (word === "deny" || word === "ask") reading.deny("*");
	else if (word !== "allow" && word !== "") fail(entry, reading, `\`${key}\` is not a known permission.`);
}

/** Reads Claude's `allow`, `deny`, and `ask` lists, and its default mode; `false` for anything else. */
function readPermissionList(inner: MapEntry, name: string, reading: RestrictionReading): boolean {
	if (/^(allow|deny|ask)$/.test(name) && inner.value.kind === "list") {
		if (name !== "allow") readDenied(inner, name, reading);
		return true;
	}
	if (!/^(defaultMode|default_mode)$/.test(name)) return false;
	readMode(inner, name, reading);
	return true;
}

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
	return parsed.kind === "tool" ? [parsed.name] : [];
}

/** Hooks do not run here. A hook that may forbid calls denies the tools that it matches. */
function readHooks(entry: MapEntry, key: string, reading: RestrictionReading): void {
	const { value } = entry;
	if (value.kind === "scalar" && (value.value === null || value.value === false)) return;
	if (value.kind !== "map") {
		fail(entry, reading, `\`${key}\` is not a known list of hooks.`);
		return;
	}
	for (const [event, inner] of value.entries) {
		if (/^(pre_?tool_?use|permission_?request|before_?tool(_?call)?|tool_?call)$/i.test(event))
			readToolHook(event, inner, reading);
		else {
			reading.report.warn(reading.source.place(inner.keyStart), {
				code: "no-hooks",
				message: `The hook ${quoted(event)} does not run.`,
				remedy: "Use a state's `cleanup` or a separate state instead.",
			});
		}
	}
}

function readToolHook(event: string, entry: MapEntry, reading: RestrictionReading): void {
	const items = entry.value.kind === "list" ? entry.value.items : [entry.value];
	for (const item of items) {
		const matcher = item.kind === "map" ? readText(item.entries.get("matcher")?.value ?? item) : undefined;
		if (matcher === undefined || !/^[\w|\s]+$/.test(matcher)) {
			fail(entry, reading, `The hook ${quoted(event)} may forbid any call, but hooks do not run.`);
			continue;
		}
		for (const tool of matcher.split("|")) denyTool(tool.trim(), item.start, reading);
		reading.report.warn(reading.source.place(item.start), {
			code: "no-hooks",
			message: `The hook ${quoted(event)} does not run, so the tools that it watches (${matcher}) are removed.`,
			remedy: "Put what it forbids into the guard's rules, and remove the hook.",
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
