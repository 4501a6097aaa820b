// The fields of a state that is done by a command.
import {
	choice,
	custom,
	duration,
	flag,
	integer,
	type MapEntry,
	type MapNode,
	type Node,
	openReport,
	type ReadContext,
	wrongType,
} from "../definition/index.ts";

const maxLength = 8000;
/** Milliseconds. */
export const DEFAULT_COMMAND_TIMEOUT = 10 * 60_000;

/** The command of a project's tests, which its folder tells. No command of a template: it needs no approval. */
export const TESTS = "{tests}";

export const commandFields = {
	command: custom<string, { about: string; empty: "error" }>(
		{
			about:
				"The command that does the state, instead of a worker: a line for the system's shell, or a list of words; `{tests}` in it is the command of the project's tests. You approve it like `cleanup`. See [a state that is a command](chronicle.md#a-state-that-is-a-command).",
			empty: "error",
		},
		"string or list of words",
		{
			anyOf: [
				{ type: "string", pattern: "\\S", maxLength },
				{ type: "array", minItems: 1, items: { type: ["string", "number", "boolean"] } },
			],
		},
		readCommand,
	),
	timeout: duration({
		about: "How long one try of the command may take: `90s`, `10m`, `1h`, or a number of minutes.",
		shown: "`10m`",
	}),
	attempts: integer({
		about: "How often a command is tried that exceeds its time or cannot be started; then the run pauses.",
		min: 1,
		max: 100,
		shown: "`1`",
	}),
	parse: choice(["json"], {
		about:
			"`json`: stdout of the command, or its last line, is the state's data, which `output` describes: `{output.<state>.<path>}`.",
	}),
	repeatable: flag({
		about:
			"`true` for a command that can safely run twice: after a crash it runs again. Otherwise you are asked how it ended.",
		shown: "`false`",
	}),
};

/** Fields that only have a meaning together with `command`. */
export const commandOnlyKeys: readonly string[] = Object.keys(commandFields).filter((key) => key !== "command");

/** Others who could do a state. */
export const otherDoers: readonly string[] = ["persona", "agent", "run", "branches"];

/**
 * The state without fields that mean something else in the ledger of an earlier version, which passed over them: beside a worker or child runs,
 * and with other values.
 */
export function withoutForeignFields(node: MapNode, reading: ReadContext): MapNode {
	if (reading.source.file !== "") return node;
	const isOther = otherDoers.some((key) => node.entries.has(key));
	const isOwn = ([key, { value }]: readonly [string, MapEntry]): boolean =>
		!Object.hasOwn(commandFields, key) ||
		(!isOther &&
			commandFields[key as keyof typeof commandFields].read(value, { ...reading, report: openReport() }) !== undefined);
	return { ...node, entries: new Map([...node.entries].filter(isOwn)) };
}

function readCommand(node: Node, reading: ReadContext): string | undefined {
	const wanted = "a command line, or a list of words";
	const words = node.kind === "list" ? node.items.map(commandWord) : [commandWord(node)];
	const line = node.kind === "list" ? words.map((word) => quotedWord(word ?? "")).join(" ") : words[0];
	const isWhole = words.length > 0 && words.every((word) => word !== undefined);
	if (
		!isWhole ||
		line === undefined ||
		(words[0] ?? "").trim() === "" ||
		(node.kind === "scalar" && typeof node.value !== "string")
	)
		return wrongType(node, reading, wanted, 'Write `"npm test"`, or `["npm", "test"]`.');
	if (line.length > maxLength || line.includes("\0"))
		return wrongType(node, reading, `${wanted} of at most ${maxLength} characters`, "Put it in a script.");
	return line;
}

function commandWord(node: Node): string | undefined {
	if (node.kind !== "scalar" || node.value === null) return undefined;
	return typeof node.value === "string" ? node.value : node.written;
}

/** A word for the system's shell, quoted if needed: for `sh`, and for `cmd` as far as both understand the same. */
function quotedWord(word: string): string {
	if (/^[\w@%+=:,./-]+$/.test(word)) return word;
	return /^[\w@+=:,./ ()[\]{}<>|&;*?#~'-]+$/.test(word) ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
