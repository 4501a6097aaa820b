// The commands of `pi-chronicle` that start, steer and show runs. Listing them loads nothing; they are loaded when one is used.
import { type ListedCommand, listedCommands } from "../command-list.ts";
import type { Command } from "../commands/index.ts";

export { commonOptions } from "../command-list.ts";

/** The commands of the command line, in the order of the help. */
export const shellCommands: readonly ListedCommand[] = [
	...listedCommands,
	{ name: "export", about: "exports a run as an OpenTelemetry trace, as JSON or as CSV" },
	{ name: "notify", about: "tests the channels that tell you about runs" },
	{
		name: "engine",
		about: "shares runs between hosts through Postgres: init, worker, status, drain, limit, schedule, doctor",
	},
];

/** Runs the command `name` with its arguments; resolves to the exit code. */
export async function runChronicleCommand(name: string, args: readonly string[], signal: AbortSignal): Promise<number> {
	const [{ runCommandLine }, { commands }] = await Promise.all([
		import("./command-line.ts"),
		import("../commands/index.ts"),
	]);
	const command =
		name === "engine"
			? (await import("./engine-command.ts")).engineCommand
			: name === "notify"
				? (await import("../notices/index.ts")).notifyCommand
				: name === "export"
					? (await import("../export/index.ts")).exportCommand
					: commands.find((known) => known.name === name);
	if (!command) throw new Error(`Unknown command: ${name}.`);
	return runCommandLine(command, args, signal);
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

/** Runs another command on a project, with the same options and exit codes; resolves to the exit code. */
export async function runProjectCommand(
	command: Command,
	args: readonly string[],
	signal: AbortSignal,
): Promise<number> {
	const { runCommandLine } = await import("./command-line.ts");
	return runCommandLine(command, args, signal);
}
