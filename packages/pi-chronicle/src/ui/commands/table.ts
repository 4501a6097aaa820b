// The table of all commands, and how one is performed.
import type { Project } from "../../local/index.ts";
import { commonOptions } from "../command-list.ts";
import { type OptionKinds, optionsIn } from "../option-usage.ts";
import { type CommandGrammar, parseArguments } from "./arguments.ts";
import { type Command, type CommandHost, type CommandResponse, misuse } from "./command.ts";
import { lookingCommands } from "./look.ts";
import { initCommand, removingCommands, repairCommand } from "./manage.ts";
import { mayNameRun, namesRun } from "./run-name.ts";
import { startCommand } from "./start.ts";
import { steeringCommands } from "./steer.ts";
import { takingCommands } from "./take.ts";

/** In the order in which `/chronicle` lists them. */
export const commands: readonly Command[] = [
	startCommand,
	...lookingCommands,
	initCommand,
	...removingCommands,
	repairCommand,
	...steeringCommands,
	...takingCommands,
];

/** Of this program, with those of `rehearse`: one of them in a text for agents is probably meant for the command. */
const everyOption: OptionKinds = Object.assign(
	{ ...commonOptions, scenario: "value", keep: "flag" },
	...commands.flatMap(({ options, shellOptions }) => [optionsIn(shellOptions), optionsIn(options)]),
);

/** How a command's arguments are parsed. `isName`: whether an argument names a run. */
export function grammarOf(
	{ options, text, maxNames }: Command,
	surfaceOptions: OptionKinds,
	isName: (argument: string) => boolean = mayNameRun,
): CommandGrammar {
	return {
		options: { ...surfaceOptions, ...optionsIn(options) },
		others: everyOption,
		maxNames,
		...textGrammar(text, isName),
	};
}

function textGrammar(
	text: Command["text"],
	isName: (argument: string) => boolean,
): Pick<CommandGrammar, "textAfter" | "isName"> {
	if (text === "run") return { textAfter: 0, isName };
	if (text === "definition")
		return { textAfter: 1, isName: (_, [kind]) => kind === "workflow" || kind === "chronicle" };
	return text === undefined ? {} : { textAfter: text };
}

export interface Performance {
	readonly project: Project;
	readonly host: CommandHost;
	readonly signal: AbortSignal;
	/** Options of the surface and of the command on it, in addition to the command's own. */
	readonly surfaceOptions: OptionKinds;
	/** The text for agents: `count` arguments from `from` on, as typed. */
	textOf(from: number, count: number): string;
}

/** Performs a command with its arguments. */
export async function performCommand(
	command: Command,
	args: readonly string[],
	{ project, host, signal, surfaceOptions, textOf }: Performance,
): Promise<CommandResponse> {
	// Reads no run.
	const ids = command.text === "run" && args.some(mayNameRun) ? await project.store.ids() : [];
	const parsed = parseArguments(
		args,
		grammarOf(command, surfaceOptions, (argument) => namesRun(argument, ids)),
	);
	if ("error" in parsed) return misuse(parsed.error);
	return command.perform({ project, parsed, text: textOf(parsed.textAt, parsed.text.length), host, signal });
}
