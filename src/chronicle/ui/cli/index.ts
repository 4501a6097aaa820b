// The verbs of `pi-chronicle` that start, steer and show runs. Listing them loads nothing; each is loaded when it is used.
import type { Verb } from "./verb.ts";

export type { Outcome, Verb, VerbCall } from "./verb.ts";
export { chronicleVerbs, commonOptions, commonUsage, type ListedVerb } from "./verb-list.ts";

/** Runs the verb `name` with the words behind it; resolves to the exit code. */
export async function runChronicleVerb(name: string, args: readonly string[], signal: AbortSignal): Promise<number> {
	const { performVerb } = await import("./verbs.ts");
	return performVerb(name, args, signal);
}

/** Runs a verb that works on a project as these do; resolves to the exit code. */
export async function runProjectVerb(verb: Verb, args: readonly string[], signal: AbortSignal): Promise<number> {
	const { runVerb } = await import("./verb.ts");
	return runVerb(verb, args, signal);
}
