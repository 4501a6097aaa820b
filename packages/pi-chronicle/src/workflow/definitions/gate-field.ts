// The field `gate` of a phase: a command, alone or with its time limit.
import { custom, duration, readObject, text, wrongType } from "@pi-chronicle/core/definition";
import type { PhaseGate } from "./definition.ts";

/** How long a gate may take. */
export const gateTimeoutMs = 10 * 60_000;

const gateFields = {
	command: text({ about: "Command for the system's shell.", required: true, max: 8000 }),
	timeout: duration({ about: "How long it may take: `90s`, `10m`, or a number of minutes.", shown: "`10m`" }),
};

export const gateField = custom<PhaseGate, { about: string; shown: string; empty: "error" }>(
	{
		about:
			'A command that must succeed before the agent can finish the phase, such as `npm test` or `"{tests}"` (the [project\'s tests](chronicle.md#a-state-that-is-a-command)): it runs when the agent calls `workflow_step` with `next`. If it fails, the phase stays open. The agent, or after a success the next phase, gets the end of its output. An object sets its time: `{ command: npm test, timeout: 5m }`.',
		shown: "none",
		empty: "error",
	},
	"string or object",
	{
		anyOf: [
			{ type: "string", pattern: "\\S", maxLength: 8000 },
			{
				type: "object",
				properties: { command: gateFields.command.schema, timeout: gateFields.timeout.schema },
				required: ["command"],
				additionalProperties: false,
			},
		],
	},
	(node, reading) => {
		if (node.kind === "map") {
			const read = readObject(node, gateFields, reading, { unknown: () => "error" });
			if (read.kind === "failed") return undefined;
			const { command, timeout = gateTimeoutMs } = read.values;
			return { command, timeoutMs: timeout };
		}
		if (node.kind === "list")
			return wrongType(node, reading, "a command line, or an object", "Write `gate: npm test`.");
		const command = gateFields.command.read(node, reading);
		return command === undefined ? undefined : { command, timeoutMs: gateTimeoutMs };
	},
);
