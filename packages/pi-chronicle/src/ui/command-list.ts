// The commands in the order of the help, and the common options of the command line. Does not load the commands' code.

import { type OptionKinds, optionsIn } from "./option-usage.ts";

export interface ListedCommand {
	readonly name: string;
	readonly about: string;
}

/** The commands in the order of the help. */
export const listedCommands: readonly ListedCommand[] = [
	{ name: "run", about: "starts a run of a template and supervises it until it needs you or ends" },
	{ name: "resume", about: "continues a run that was interrupted, paused or stopped by a limit" },
	{ name: "list", about: "lists the templates and runs of the project" },
	{ name: "status", about: "shows the status of a run, its cost and what it waits for" },
	{ name: "show", about: "draws a template: its states, their personas and your approvals" },
	{ name: "init", about: "copies a shipped definition into the project so that you can change it" },
	{ name: "view", about: "shows the status with every move, finding and changed file" },
	{ name: "approve", about: "approves the pending move; the run continues" },
	{ name: "reject", about: "rejects the pending move; the worker continues with your message" },
	{ name: "answer", about: "answers the question that a worker asks; the run continues" },
	{ name: "tell", about: "sends a message to the worker, or to the next one if none is running" },
	{ name: "pause", about: "stops the worker after its current message and keeps its conversation" },
	{ name: "abort", about: "ends a run and stops its worker immediately" },
	{ name: "drop", about: "lets a run continue without one of its children" },
	{ name: "release", about: "releases a run from human_intervention, or sends a waiting run to a state" },
	{ name: "reopen", about: "continues a finished run in a state" },
	{ name: "rewind", about: "restores files and run to the start of a visit, and pauses" },
	{ name: "join", about: "takes the files of a run apart: into the project, on a branch, or as a patch" },
	{ name: "discard", about: "gives up the files of a run apart and removes its copy" },
	{ name: "diff", about: "shows what changed in the files since the state started" },
	{ name: "report", about: "writes an HTML report of the whole run" },
	{ name: "repair", about: "rebuilds a damaged ledger from its whole events, and says what is lost" },
	{ name: "remove", about: "removes a run and all its data" },
	{ name: "prune", about: "removes runs older than a number of days" },
];

/** The common options in `--help`; the two about engines only for commands on runs. */
export function commonUsage(isOnRuns: boolean): string {
	const engine = `  --engine <url>  the engine whose hosts run it: postgres://… (default: the setting chronicle.engine, if any)
  --project <p>   the project's name there (default: from its git remote)
`;
	return `  --cwd <folder>  the project (default: here)
${isOnRuns ? engine : ""}  --json          print the result as one JSON object on stdout; progress goes to stderr
  --approve, --no-approve  trust the project for this command, or don't (default: as saved in pi)
  --pi <path>     pi's entry file, package folder or binary (default: the one next to this package, else on PATH)
`;
}

/** Options of every command on the command line. */
export const commonOptions: OptionKinds = { ...optionsIn(commonUsage(true)), help: "flag" };
