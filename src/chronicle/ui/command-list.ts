// The commands as help lists them, and the options of the command line that all of them take. Loads nothing of what they do.

export interface ListedCommand {
	readonly name: string;
	readonly about: string;
}

/** The commands in the order of the help. */
export const listedCommands: readonly ListedCommand[] = [
	{ name: "run", about: "starts a template with a task, and carries it on until it needs you or ends" },
	{ name: "resume", about: "goes on with a run that was interrupted, paused or stopped at a ceiling" },
	{ name: "list", about: "the templates and runs of the project" },
	{ name: "status", about: "where a run stands, what it has cost, what it waits for" },
	{ name: "show", about: "a template as a diagram: its states, who does them, where you are asked" },
	{ name: "view", about: "the same, with every move, what the run knows and the files that it has changed" },
	{ name: "approve", about: "agrees to what the run asks, and goes on" },
	{ name: "reject", about: "says no to what the run asks; the state goes on with your words" },
	{ name: "tell", about: "says something to the worker, now or when there is one" },
	{ name: "pause", about: "ends the worker after its present message and keeps its conversation" },
	{ name: "abort", about: "ends a run for good, its worker at once" },
	{ name: "release", about: "leads out of human_intervention, or sends a waiting run to a state" },
	{ name: "reopen", about: "lets a run that is over go on in a state" },
	{ name: "rewind", about: "takes files and run back to the start of a visit, and pauses" },
	{ name: "diff", about: "what has changed in the files since the state began" },
	{ name: "report", about: "one HTML file that tells the whole run" },
	{ name: "remove", about: "takes a run away with everything that it keeps" },
	{ name: "prune", about: "takes away every run that is older than so many days" },
];

/** Options of every command on the command line. */
export const commonOptions = {
	cwd: "value",
	json: "flag",
	pi: "value",
	approve: "flag",
	"no-approve": "flag",
	help: "flag",
} as const;

/** What `--help` says of them. */
export const commonUsage = `  --cwd <folder>  the project (default: here)
  --json          the result as one JSON object on stdout; progress goes to stderr
  --approve       trust the project for this command; --no-approve: do not (default: as pi has it saved)
  --pi <path>     pi's entry file, package folder or binary (default: the one beside this package)
`;
