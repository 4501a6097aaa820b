// The commands of `pi-chronicle` that start, steer and show runs. Listing them loads nothing; they are loaded when one is used.
import { type ListedCommand, listedCommands } from "../command-list.ts";
import type { LazyCommand } from "../commands/index.ts";

export { commonOptions } from "../command-list.ts";

/** The commands of the command line, in the order of the help. */
export const shellCommands: readonly LazyCommand[] = [
	...listedCommands.map((listed) => ({ ...listed, load: () => loadListed(listed) })),
	{
		name: "export",
		about: "exports a run as an OpenTelemetry trace, as JSON or as CSV",
		load: async () => (await import("../export/index.ts")).exportCommand,
	},
	{
		name: "notify",
		about: "tests the channels that tell you about runs",
		load: async () => (await import("../notice-sending/index.ts")).notifyCommand,
	},
	{
		name: "engine",
		about: "shares runs between hosts through Postgres: init, worker, status, drain, limit, schedule, doctor",
		load: async () => (await import("./engine-command.ts")).engineCommand,
	},
];

async function loadListed({ name }: ListedCommand) {
	const found = (await import("../commands/index.ts")).commands.find((known) => known.name === name);
	if (!found) throw new Error(`Unknown command: ${name}.`);
	return found;
}

/** Runs a command with its arguments; resolves to the exit code. */
export async function performInShell(
	command: Pick<LazyCommand, "load">,
	args: readonly string[],
	signal: AbortSignal,
): Promise<number> {
	const [{ runCommandLine }, loaded] = await Promise.all([import("./command-line.ts"), command.load()]);
	return runCommandLine(loaded, args, signal);
}

/** Runs `serve`; resolves to the exit code. */
export async function runServeCommand(args: readonly string[], signal: AbortSignal): Promise<number> {
	const { runServe } = await import("./serve-command.ts");
	return runServe(args, signal);
}

/** Runs `completion`; resolves to the exit code. `listed`: every command of the command line. */
export async function runCompletionCommand(args: readonly string[], listed: readonly ListedCommand[]): Promise<number> {
	const { runCompletion } = await import("./completion.ts");
	return runCompletion(args, listed);
}
