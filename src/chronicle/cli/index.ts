// The verbs of `pi-chronicle` that start, steer and show runs. Listing them loads nothing; each is loaded when it is used.
export { chronicleVerbs, commonOptions, type ListedVerb } from "./verb-list.ts";

/** Runs the verb `name` with the words behind it; resolves to the exit code. */
export async function runChronicleVerb(name: string, args: readonly string[], signal: AbortSignal): Promise<number> {
	const { performVerb } = await import("./verbs.ts");
	return performVerb(name, args, signal);
}
