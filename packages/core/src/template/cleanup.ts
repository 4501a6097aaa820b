// The cleanup commands of a state: each a command line, optionally with a time limit and the effect of its failure.

import {
	choice,
	custom,
	type Node,
	number,
	type ReadContext,
	readObject,
	text,
	wrongType,
} from "../definition/index.ts";
import type { CleanupCommand } from "./template.ts";

export const cleanupFields = {
	command: text({ about: "Shell command, run in the project's folder.", required: true, max: 8000 }),
	timeout_seconds: number({ about: "Timeout of the command, in seconds.", min: 0.1, max: 3600, fallback: 30 }),
	on_failure: choice(["continue", "pause"], {
		about:
			"After a failure or a timeout: `continue` reports it and continues the run, `pause` pauses the run, unless it has reached its end.",
		fallback: "continue",
	}),
};

const about =
	"Commands that always run after a worker of this state has ended and before the next one starts. They run only if you approved their exact text. After a crash, a command may run twice.";

export const cleanupField = custom<
	readonly CleanupCommand[],
	{ about: string; fallback: readonly CleanupCommand[]; shown: string; empty: "error" }
>(
	{ about, fallback: [], shown: "none", empty: "error" },
	"list of commands, each a string or an object",
	{
		anyOf: [
			{ type: "string" },
			{ type: "array", maxItems: 20, items: { anyOf: [{ type: "string" }, { $ref: "#/$defs/cleanup" }] } },
		],
	},
	(node, reading) => {
		if (node.kind !== "list") {
			const one = readCleanupCommand(node, reading);
			return one && [one];
		}
		if (node.items.length > 20)
			return wrongType(node, reading, "a list of at most 20 commands", "Put them in a script.");
		const read = node.items.map((item, index) =>
			readCleanupCommand(item, { ...reading, path: `${reading.path}[${index + 1}]` }),
		);
		return read.some((command) => command === undefined) ? undefined : read.filter((command) => command !== undefined);
	},
);

function readCleanupCommand(node: Node, reading: ReadContext): CleanupCommand | undefined {
	if (node.kind === "map") {
		const read = readObject(node, cleanupFields, reading);
		if (read.kind === "failed") return undefined;
		return cleanupCommand(read.values.command, read.values.timeout_seconds, read.values.on_failure);
	}
	const command = cleanupFields.command.read(node, reading);
	const { timeout_seconds, on_failure } = cleanupFields;
	return command === undefined ? undefined : cleanupCommand(command, timeout_seconds.fallback, on_failure.fallback);
}

function cleanupCommand(command: string, seconds: number, onFailure: CleanupCommand["onFailure"]): CleanupCommand {
	return { command, timeoutMs: seconds * 1000, onFailure };
}
