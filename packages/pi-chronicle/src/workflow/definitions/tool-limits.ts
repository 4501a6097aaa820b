// Reads the field `tools` of a phase. An invalid limit is an error; it never means "no limit".
import {
	didYouMean,
	type MapNode,
	type Node,
	type PlacedName,
	quoted,
	type ReadContext,
	readNames,
} from "@pi-chronicle/core/definition";
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
export function readToolLimits(node: Node, reading: ReadContext): LimitsRead | undefined {
	if (node.kind !== "map") {
		const names = readToolNames(node, reading, "accepted");
		return names && namedTools("whitelist", names, "judged");
	}
	if (node.entries.size === 0) {
		reading.report.warn(reading.source.place(node.start), {
			code: "no-limits",
			message: `\`${reading.path}\` is an empty object, so every tool is allowed.`,
			remedy: "Add `blacklist`, `whitelist` or `allow`, or remove it.",
		});
		return free;
	}
	return knownKeysOnly(node, reading) ? readLimitGroup(node, reading) : undefined;
}

function knownKeysOnly(map: MapNode, reading: ReadContext): boolean {
	let known = true;
	for (const [key, entry] of map.entries) {
		if (keys.includes(key)) continue;
		known = false;
		reading.report.error(reading.source.place(entry.keyStart), {
			code: "unknown-key",
			message: `${quoted(key)} in \`${reading.path}\` is not a known limit.${didYouMean(key, keys)}`,
			remedy: "Write `blacklist`, `whitelist` or `allow`; an unknown limit does not load.",
		});
	}
	return known;
}

function readLimitGroup(map: MapNode, reading: ReadContext): LimitsRead | undefined {
	const key = onlyList(map, reading);
	const value = key && map.entries.get(key)?.value;
	if (!key || !value) return undefined;
	const shell = readShell(map, reading);
	if (!shell) return undefined;
	const inner = { ...reading, path: `${reading.path}.${key}` };
	if (key !== "allow") {
		const names = readToolNames(value, inner, "refused");
		return names && namedTools(key, names, shell);
	}
	const may = readCapabilities(value, inner);
	const entry = map.entries.get("shell");
	if (entry)
		reading.report.error(reading.source.place(entry.keyStart), {
			code: "shell-with-allow",
			message: "`shell` has no effect with `allow`: `allow` determines what a command may do.",
			remedy: "Remove `shell`; add `exec` to `allow` for commands whose effect is unknown.",
		});
	return entry || !may ? undefined : { limits: { kind: "capabilities", may }, names: [] };
}

/** The only list of the object; reports a problem if it has none or several. */
function onlyList(map: MapNode, { source, report, path }: ReadContext): (typeof lists)[number] | undefined {
	const [key, second] = lists.filter((name) => map.entries.has(name));
	const remedy = "Give exactly one of `blacklist`, `whitelist` and `allow`.";
	if (key === undefined)
		report.error(source.place(map.start), { code: "no-list", message: `\`${path}\` has no list of tools.`, remedy });
	if (second === undefined) return key;
	report.error(source.place(map.entries.get(second)?.keyStart ?? 0), {
		code: "both-lists",
		message: `\`${path}\` has both \`${key}\` and \`${second}\`, which are mutually exclusive.`,
		remedy,
	});
	return undefined;
}

function namedTools(kind: "blacklist" | "whitelist", words: readonly PlacedName[], shell: ShellRule): LimitsRead {
	const names = [...new Set(words.map((word) => word.text))];
	return { limits: { kind, names, shell }, names: words };
}

function readToolNames(
	node: Node,
	reading: ReadContext,
	lone: "accepted" | "refused",
): readonly PlacedName[] | undefined {
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

/** Why `name` is not a valid tool name; `undefined` if it is valid. */
function oddName(name: string): { message: string; remedy: string } | undefined {
	if (/[()]/.test(name))
		return {
			message: `${quoted(name)} contains parentheses; a limit names tools, not their arguments.`,
			remedy: "Write only the name; to judge calls by their effect, use `allow` or `shell: strict`.",
		};
	if (/\s/.test(name))
		return { message: `The tool name ${quoted(name)} contains a space.`, remedy: "Separate names with commas." };
	if (name.startsWith("!"))
		return {
			message: `${quoted(name)} starts with \`!\`, but these lists have no exceptions.`,
			remedy: "List the tools themselves, or use the other kind of list.",
		};
	const [character] = /[^\p{L}\p{N}_.*/-]/u.exec(name) ?? [];
	if (character !== undefined)
		return {
			message: `${quoted(name)} contains ${quoted(character)}, which no tool name does.`,
			remedy: "Write `[read, grep]`, or one name per line starting with `- `; `*` matches any characters.",
		};
	if (keys.includes(name))
		return {
			message: `${quoted(name)} is read as a tool name here.`,
			remedy: `Put a colon after it, followed by the list: \`${name}: …\`.`,
		};
	return undefined;
}

function readCapabilities(node: Node, reading: ReadContext): readonly Capability[] | undefined {
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
				message: `${quoted(word.text)} in \`${reading.path}\` is not a capability.${didYouMean(word.text, capabilities)}`,
				remedy: "Write `read`, `write` and `exec`, in any combination; to list tools by name use `whitelist`.",
			});
		}
	}
	return wrong ? undefined : capabilities.filter((capability) => may.has(capability));
}

function readShell(map: MapNode, reading: ReadContext): ShellRule | undefined {
	const entry = map.entries.get("shell");
	if (!entry) return "judged";
	const written = entry.value.kind === "scalar" ? String(entry.value.value ?? "") : "";
	const rule = shellRules.find((known) => known === written);
	if (!rule)
		reading.report.error(reading.source.place(entry.value.start), {
			code: "bad-value",
			message: `\`${reading.path}.shell\` must be \`judged\`, \`strict\` or \`unrestricted\`.${didYouMean(written, shellRules)}`,
			remedy: "Write one of the three, or remove the line for `judged`.",
		});
	return rule;
}
