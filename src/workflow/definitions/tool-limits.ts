// Reads the field `tools` of a phase. An invalid limit is an error; it never means "no limit".
import {
	didYouMean,
	type MapNode,
	type Node,
	type PlacedName,
	quoted,
	type Reading,
	readNames,
} from "../../definition/index.ts";
import type { Capability, ShellRule, ToolLimits } from "./definition.ts";

/** The limits, and every tool name in them with its offset. */
export interface LimitsRead {
	readonly limits: ToolLimits;
	readonly names: readonly PlacedName[];
}

export const free: LimitsRead = { limits: { kind: "free" }, names: [] };

const capabilities: readonly Capability[] = ["read", "write", "exec"];
const shellRules: readonly ShellRule[] = ["judged", "strict", "unrestricted"];
const lists = ["blacklist", "whitelist", "allow"] as const;
const keys = [...lists, "shell"];

/** JSON Schema of the field. */
export const limitsSchema = (() => {
	const array = { type: "array", items: { type: "string" } };
	const names = { anyOf: [array, { type: "string", pattern: "," }] };
	const shell = { enum: shellRules, default: "judged" };
	const group = (properties: Record<string, unknown>, required: string) => ({
		type: "object",
		properties,
		required: [required],
		additionalProperties: false,
	});
	const words = { type: "array", items: { enum: capabilities } };
	return {
		anyOf: [
			group({ blacklist: names, shell }, "blacklist"),
			group({ whitelist: names, shell }, "whitelist"),
			group({ allow: { anyOf: [words, { type: "string" }] } }, "allow"),
			array,
			{ type: "string" },
		],
	};
})();

/**
 * Reads `{ blacklist | whitelist: names, shell }`, `{ allow: capabilities }`, or a bare list of names, which is a whitelist, as in agent
 * files.
 */
export function readToolLimits(node: Node, reading: Reading): LimitsRead | undefined {
	if (node.kind !== "map") {
		const names = readToolNames(node, reading, "accepted");
		return names && named("whitelist", names, "judged");
	}
	if (node.entries.size === 0) {
		reading.report.warn(reading.source.place(node.start), {
			code: "no-limits",
			message: `\`${reading.path}\` is an empty group, so every tool is allowed.`,
			remedy: "Add `blacklist`, `whitelist` or `allow`, or remove it.",
		});
		return free;
	}
	return knownKeysOnly(node, reading) ? readGroup(node, reading) : undefined;
}

function knownKeysOnly(map: MapNode, reading: Reading): boolean {
	let known = true;
	for (const [key, entry] of map.entries) {
		if (keys.includes(key)) continue;
		known = false;
		reading.report.error(reading.source.place(entry.keyStart), {
			code: "unknown-key",
			message: `${quoted(key)} in \`${reading.path}\` is no limit that is known.${didYouMean(key, keys)}`,
			remedy: "Write `blacklist`, `whitelist` or `allow`; a limit that is not understood does not load.",
		});
	}
	return known;
}

function readGroup(map: MapNode, reading: Reading): LimitsRead | undefined {
	const key = onlyList(map, reading);
	const value = key && map.entries.get(key)?.value;
	if (!key || !value) return undefined;
	const shell = readShell(map, reading);
	if (!shell) return undefined;
	const inner = { ...reading, path: `${reading.path}.${key}` };
	if (key !== "allow") {
		const names = readToolNames(value, inner, "refused");
		return names && named(key, names, shell);
	}
	const may = readCapabilities(value, inner);
	const entry = map.entries.get("shell");
	if (entry)
		reading.report.error(reading.source.place(entry.keyStart), {
			code: "shell-with-allow",
			message: "`shell` has no meaning next to `allow`: what a command may do follows from `allow`.",
			remedy: "Remove `shell`; add `exec` to `allow` for commands whose effect is unknown.",
		});
	return entry || !may ? undefined : { limits: { kind: "capabilities", may }, names: [] };
}

/** The only list of the group; reports a problem if it has none or several. */
function onlyList(map: MapNode, { source, report, path }: Reading): (typeof lists)[number] | undefined {
	const [key, second] = lists.filter((name) => map.entries.has(name));
	const remedy = "Give exactly one of `blacklist`, `whitelist` and `allow`.";
	if (key === undefined)
		report.error(source.place(map.start), { code: "no-list", message: `\`${path}\` has no list of tools.`, remedy });
	if (second === undefined) return key;
	report.error(source.place(map.entries.get(second)?.keyStart ?? 0), {
		code: "both-lists",
		message: `\`${path}\` has both \`${key}\` and \`${second}\`, and they exclude each other.`,
		remedy,
	});
	return undefined;
}

function named(kind: "blacklist" | "whitelist", words: readonly PlacedName[], shell: ShellRule): LimitsRead {
	const names = [...new Set(words.map((word) => word.text))];
	return { limits: { kind, names, shell }, names: words };
}

function readToolNames(node: Node, reading: Reading, lone: "accepted" | "refused"): readonly PlacedName[] | undefined {
	const words = readNames(node, reading, lone);
	let wrong = words === undefined;
	for (const word of words ?? []) {
		const odd = oddName(word.text);
		if (!odd) continue;
		wrong = true;
		reading.report.error(reading.source.place(word.start), { code: "bad-tool-name", ...odd });
	}
	return wrong ? undefined : words;
}

/** Why a text is not a valid tool name; `undefined` if it is valid. */
function oddName(name: string): { message: string; remedy: string } | undefined {
	if (/[()]/.test(name))
		return {
			message: `${quoted(name)} has parentheses in it, and a limit names tools, not what they are called with.`,
			remedy: "Write the name alone; to judge calls by what they would do, use `allow` or `shell: strict`.",
		};
	if (/\s/.test(name))
		return { message: `The tool name ${quoted(name)} has a space in it.`, remedy: "Put a comma between two names." };
	if (name.startsWith("!"))
		return {
			message: `${quoted(name)} begins with \`!\`, and there are no exceptions in these lists.`,
			remedy: "List the tools themselves, or use the other kind of list.",
		};
	const [character] = /[^\p{L}\p{N}_.*/-]/u.exec(name) ?? [];
	if (character !== undefined)
		return {
			message: `${quoted(name)} has ${quoted(character)} in it, and no tool is called so.`,
			remedy: "Write `[read, grep]`, or one name a line with `- ` before it; `*` stands for any characters.",
		};
	if (keys.includes(name))
		return {
			message: `${quoted(name)} stands here as the name of a tool.`,
			remedy: `Put a colon behind it, and the list behind that or below it: \`${name}: …\`.`,
		};
	return undefined;
}

function readCapabilities(node: Node, reading: Reading): readonly Capability[] | undefined {
	const words = readNames(node, reading);
	let wrong = words === undefined;
	const may = new Set<Capability>();
	for (const word of words ?? []) {
		const capability = capabilities.find((known) => known === word.text);
		if (capability) may.add(capability);
		else {
			wrong = true;
			reading.report.error(reading.source.place(word.start), {
				code: "bad-value",
				message: `${quoted(word.text)} in \`${reading.path}\` is no capability.${didYouMean(word.text, capabilities)}`,
				remedy: "Write `read`, `write` and `exec`, as many as apply; to list tools by name use `whitelist`.",
			});
		}
	}
	return wrong ? undefined : capabilities.filter((capability) => may.has(capability));
}

function readShell(map: MapNode, reading: Reading): ShellRule | undefined {
	const entry = map.entries.get("shell");
	if (!entry) return "judged";
	const written = entry.value.kind === "scalar" ? String(entry.value.value ?? "") : "";
	const rule = shellRules.find((known) => known === written);
	if (!rule)
		reading.report.error(reading.source.place(entry.value.start), {
			code: "bad-value",
			message: `\`${reading.path}.shell\` can be \`judged\`, \`strict\` or \`unrestricted\`.${didYouMean(written, shellRules)}`,
			remedy: "Write one of the three, or remove the line for `judged`.",
		});
	return rule;
}
