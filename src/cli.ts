// The command `pi-chronicle`: a table of verbs, each loaded when it is used. What a verb does is its folder's business.

import { chronicleVerbs, runChronicleVerb } from "./chronicle/index.ts";
import { didYouMean } from "./definition/index.ts";
import { enclosingRun } from "./pi/index.ts";

interface Verb {
	/** What it does, for the list. */
	readonly about: string;
	load(): Promise<Run>;
}

/** Runs a verb with the words after it; resolves to the exit code. `signal` aborts on SIGINT, SIGTERM and SIGHUP, and when nobody reads the output any more. */
type Run = (args: readonly string[], signal: AbortSignal) => Promise<number>;

const verbs: ReadonlyMap<string, Verb> = new Map([
	...chronicleVerbs.map(({ name, about }): [string, Verb] => [
		name,
		{ about, load: async () => (args, signal) => runChronicleVerb(name, args, signal) },
	]),
	[
		"rehearse",
		{
			about: "plays a definition on a copy of the project, without a model",
			load: async () => (await import("./rehearsal/index.ts")).rehearseVerb,
		},
	],
]);

/** Runs the command line `args` (without node and script) and resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
	const [name, ...rest] = args;
	// In pi the same is called start.
	const verb = name === undefined ? undefined : verbs.get(name === "start" ? "run" : name);
	if (!verb) {
		const asked = name === undefined || name === "help" || name === "--help" || name === "-h";
		if (!asked) process.stderr.write(`There is no verb ${name}.${didYouMean(name, verbs.keys())}\n\n`);
		(asked && name !== undefined ? process.stdout : process.stderr).write(usage());
		return asked && name !== undefined ? 0 : 2;
	}
	const enclosing = enclosingRun(process.env);
	if (enclosing !== undefined) {
		process.stderr.write(`This is a process of the run ${enclosing}: its worker starts no further work.\n`);
		return 2;
	}
	const run = await verb.load();
	const stop = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort(signal));
	// Whoever reads the output has gone, as in `… | head`: the verb ends as if it had been interrupted.
	for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stop.abort("SIGPIPE"));
	return run(rest, stop.signal);
}

function usage(): string {
	const width = Math.max(...[...verbs.keys()].map((name) => name.length));
	const list = [...verbs].map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
	return `pi-chronicle <verb> [words…]\n\n${list.join("\n")}\n\nEvery verb explains itself with --help.\n`;
}
