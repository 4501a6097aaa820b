// The command line `pi-chronicle`: a table of commands. Each command is implemented in its own folder and loaded on first use.

import { didYouMean } from "@pi-chronicle/core/definition";
import { fitText, packageVersion } from "./pi/index.ts";
import { enclosingRun } from "./process/index.ts";
import { doctorCommand } from "./tools/doctor/index.ts";
import { importCommand } from "./tools/migration/index.ts";
import {
	commonOptions,
	type LazyCommand,
	performInShell,
	runCompletionCommand,
	runServeCommand,
	shellCommands,
} from "./ui/index.ts";

interface ListedCommand {
	/** Description for the list of commands. */
	readonly about: string;
	load(): Promise<Run>;
}

/**
 * Runs a command with its arguments; resolves to the exit code. `signal` aborts on SIGINT, SIGTERM and SIGHUP, and when the reader of the
 * output closes it.
 */
type Run = (args: readonly string[], signal: AbortSignal) => Promise<number>;

/** Those with the options and exit codes of all commands on a project. */
const projectCommands: readonly LazyCommand[] = [
	...shellCommands,
	{
		name: "check",
		about: "checks all definitions and lists every problem with its position",
		load: async () => (await import("./tools/check/index.ts")).check,
	},
	{
		name: "rehearse",
		about: "runs a definition on a copy of the project, without a model",
		load: async () => (await import("./tools/rehearsal/index.ts")).loadRehearseCommand(),
	},
	doctorCommand,
	importCommand,
	{
		name: "plan",
		about: "drafts a chronicle or workflow for a task, checked and rehearsed",
		load: async () => (await import("./tools/plan/index.ts")).loadPlanCommand(),
	},
];

const commands: ReadonlyMap<string, ListedCommand> = new Map([
	...projectCommands.map((lazy): [string, ListedCommand] => [
		lazy.name,
		{ about: lazy.about, load: async () => (args, signal) => performInShell(lazy, args, signal) },
	]),
	[
		"serve",
		{
			about: "serves a page with your runs, to look at and to answer from a phone",
			load: async () => runServeCommand,
		},
	],
	[
		"completion",
		{
			about: "prints a script that makes bash, zsh or fish complete this command",
			load: async () => (args) => runCompletionCommand(args, allListed()),
		},
	],
]);

/** The commands by purpose, as the help shows them. */
const groups: readonly (readonly [title: string, names: readonly string[]])[] = [
	[
		"Start and continue",
		[
			"run",
			"resume",
			"approve",
			"reject",
			"answer",
			"tell",
			"pause",
			"abort",
			"drop",
			"release",
			"reopen",
			"rewind",
			"join",
			"discard",
		],
	],
	["Inspect", ["list", "status", "show", "view", "diff", "report", "export"]],
	["Definitions", ["plan", "init", "check", "rehearse", "import"]],
	["Clean up", ["remove", "prune", "repair", "doctor"]],
	["Away from the desk", ["serve", "notify"]],
	["Many machines", ["engine"]],
	["Shell", ["completion"]],
];

function allListed(): { name: string; about: string }[] {
	return [...commands].map(([name, { about }]) => ({ name, about }));
}

/** Runs the command line `args` (without node and script) and resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
	const line = readLine(args);
	if (line.kind === "version") {
		process.stdout.write(`pi-chronicle ${packageVersion()}\n`);
		return 0;
	}
	if (line.kind === "misuse") return complain(args, null, line.message, line.about);
	if (line.verb === undefined && line.kind === "help") {
		process.stdout.write(fitText(usage(), process.stdout));
		return 0;
	}
	if (line.verb === undefined) return complain(args, null, "Missing command.");
	// In pi, `run` is called `start`.
	const name = line.verb === "start" ? "run" : line.verb;
	const command = commands.get(name);
	if (!command) {
		const near = didYouMean(name, commands.keys());
		const hint = near === "" ? ` To start a template of that name: pi-chronicle run ${name} <task…>` : near;
		return complain(args, name, `Unknown command: ${name}.${hint}`);
	}
	const run = await command.load();
	const stop = new AbortController();
	if (line.kind === "help") return run(["--help"], stop.signal);
	const enclosing = enclosingRun(process.env);
	if (enclosing !== undefined) {
		const message = `This process belongs to the run ${enclosing}, whose workers cannot start other runs.`;
		return complain(args, name, message, "");
	}
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort(signal));
	// If the reader closes the output, as in `… | head`, the command ends as if interrupted.
	for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stop.abort("SIGPIPE"));
	return run([...line.before, ...line.rest], stop.signal);
}

type Line =
	| { readonly kind: "version" }
	| { readonly kind: "misuse"; readonly message: string; readonly about?: string }
	/** `before`: options before the command. */
	| {
			readonly kind: "help" | "verb";
			readonly verb: string | undefined;
			readonly before: readonly string[];
			readonly rest: readonly string[];
	  };

/** Options allowed before the command: the common ones and those that several commands take. */
const leading: Readonly<Record<string, "flag" | "value">> = {
	...commonOptions,
	...{ model: "value", run: "value", "approve-cleanup": "flag", "without-cleanup": "flag", version: "flag" },
};

/** Separates leading options from the command and its arguments. */
function readLine(args: readonly string[]): Line {
	let at = 0;
	for (let word = args[at]; word?.startsWith("-"); word = args[at]) {
		const [, long = "", given] = /^--([a-z-]+)(=.*)?$/s.exec(word) ?? [];
		if (/^-[vV]$/.test(word) || long === "version") return { kind: "version" };
		if (word === "-h" || long === "help") return { kind: "help", verb: args[at + 1], before: [], rest: [] };
		if (!Object.hasOwn(leading, long)) {
			const near = didYouMean(long, Object.keys(leading)).replace("`", "`--");
			const message = `Unknown option before the command: ${word}.${near}`;
			return { kind: "misuse", message, about: "Put a command's own options after it.\n\n" };
		}
		at += leading[long] === "value" && given === undefined ? 2 : 1;
	}
	const [verb, ...rest] = args.slice(at);
	if (verb === "help") return { kind: "help", verb: rest[0], before: [], rest: [] };
	return { kind: "verb", verb, before: args.slice(0, at), rest };
}

/** Reports a usage error on stderr, and with `--json` also as one object on stdout. Returns the exit code. */
function complain(args: readonly string[], verb: string | null, message: string, about = `\n${usage()}`): number {
	process.stderr.write(fitText(`${message}\n${about}`, process.stderr));
	const error = { code: "usage", message, diagnostics: [], problems: [] };
	if (args.includes("--json")) process.stdout.write(`${JSON.stringify({ verb, error }, null, "\t")}\n`);
	return 2;
}

const afterCommands = `
Examples:
  pi-chronicle run feature "Add a --month option"     starts a run and shows its progress
  pi-chronicle approve last                           approves the last run's pending move
  pi-chronicle diff last all | less                   shows all its changes

Exit codes: 0 done, 1 failed, 2 nothing was done, 3 waits for you, 4 a limit is reached, 5 human_intervention, 130 interrupted.

Run a command with --help for its usage. --version prints the version.
`;

function usage(): string {
	const width = Math.max(...[...commands.keys()].map((name) => name.length));
	const grouped = new Set(groups.flatMap(([, names]) => names));
	const rest = [...commands.keys()].filter((name) => !grouped.has(name));
	const all = rest.length === 0 ? groups : [...groups, ["More", rest] as const];
	const list = all.map(([title, names]) => {
		const lines = names.map((name) => `  ${name.padEnd(width)}  ${commands.get(name)?.about ?? ""}`);
		return [`${title}:`, ...lines].join("\n");
	});
	return `pi-chronicle <command> [arguments…]\n\n${list.join("\n\n")}\n${afterCommands}`;
}
