// Compiles the fields of a state that is done by a command.

import type { ReadContext, Values } from "../definition/index.ts";
import { type commandFields, commandOnlyKeys, DEFAULT_COMMAND_TIMEOUT, otherDoers } from "./command-fields.ts";
import type { NextField } from "./next-field.ts";
import type { OutputField } from "./output-schema.ts";
import { reporterAt, type StateNode, type StateReporter } from "./state-node.ts";
import type { CommandPlan } from "./template.ts";

type CommandValues = Values<typeof commandFields> & {
	readonly next: NextField | undefined;
	readonly output: OutputField | undefined;
};

/** Fields of a worker without an effect on a command. */
const workerKeys = [
	...["team", "skills", "extra_skills", "extensions", "model", "models", "fallback", "thinking", "instructions"],
	...["questions", "timeout_minutes", "idle_minutes"],
];

const defaultKilobytes = 32;

/** The command of a state; `undefined`: none does it. Reports fields that contradict each other or have no effect. */
export function compileCommand(values: CommandValues, at: StateNode, reading: ReadContext): CommandPlan | undefined {
	const { command, next, output, timeout, attempts, parse, repeatable } = values;
	const reportAt = reporterAt(at, reading);
	const report: StateReporter = (severity, key, problem) =>
		reportAt(severity, key, { ...problem, message: `\`${reading.path}\` ${problem.message}` });
	if (command === undefined) {
		// A command with problems was reported already.
		if (!at.node.entries.has("command")) reportWithout(values, at, report);
		return undefined;
	}
	reportOthers(at, report);
	reportNext(next, report);
	reportData(parse, output?.schema !== undefined, report);
	const [success, failure] = next?.names ?? [];
	const listed: CommandPlan["cases"] = success ? [{ kind: "code", code: 0, to: success.text }] : [];
	return {
		line: command,
		cases: next?.ways?.cases ?? listed,
		otherwise: next?.ways ? next.ways.otherwise : failure?.text,
		timeoutMs: timeout ?? DEFAULT_COMMAND_TIMEOUT,
		attempts: attempts ?? 1,
		parse,
		repeatable: repeatable ?? false,
		tailBytes: (output?.maxKilobytes ?? defaultKilobytes) * 1024,
	};
}

/** Fields of a command in a state without one. */
function reportWithout({ next, output }: CommandValues, { node }: StateNode, report: StateReporter): void {
	for (const key of commandOnlyKeys)
		if (node.entries.has(key))
			report("warn", key, {
				code: "no-effect",
				message: `has no \`command\`, so its \`${key}\` has no effect.`,
				remedy: "Remove it, or add a command.",
			});
	if (next?.ways)
		report("error", "next", {
			code: "no-command",
			message: "decides by an exit code or a value, but no command does it.",
			remedy: 'Write a list of names: `["name"]`.',
		});
	if (output?.maxKilobytes !== undefined)
		report("error", "output", {
			code: "no-command",
			message: "has an `output.max_kb`, but no command does it.",
			remedy: "Remove `max_kb`.",
		});
}

function reportOthers({ node }: StateNode, report: StateReporter): void {
	for (const key of node.entries.keys())
		if (otherDoers.includes(key))
			report("error", key, {
				code: "two-doers",
				message: `has both \`command\` and \`${key}\`; only one of them can do the state.`,
				remedy: "Keep one of the two.",
			});
		else if (workerKeys.includes(key))
			report("warn", key, {
				code: "no-effect",
				message: `is done by a command, so its \`${key}\` has no effect.`,
				remedy: key === "timeout_minutes" ? "Write `timeout`." : "Remove it.",
			});
}

function reportNext(next: NextField | undefined, report: StateReporter): void {
	if (!next || next.ways || next.names.length <= 2) return;
	report("error", "next", {
		code: "too-many",
		message: `is done by a command, so its \`next\` can be \`[success, failure]\`, but it names ${next.names.length} states.`,
		remedy: 'Write an object of exit codes: `{ "0": "name", "else": "name" }`.',
	});
}

function reportData(parse: "json" | undefined, hasSchema: boolean, report: StateReporter): void {
	if (hasSchema && parse === undefined)
		report("warn", "output", {
			code: "no-effect",
			message: "has an `output`, but its command's output is not parsed.",
			remedy: "Add `parse: json`.",
		});
	if (!hasSchema && parse !== undefined)
		report("warn", "parse", {
			code: "no-schema",
			message: "parses the output of its command without an `output` that describes it.",
			remedy: 'Add `"output": { "type": "object", "properties": { … } }`.',
		});
}
