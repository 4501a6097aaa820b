// Checks everything in a project. It may use every feature, as rehearsals may; only the command line uses it.

export { kinds } from "./finding.ts";
export { checkProject, type ProjectCheck } from "./project-check.ts";

/** Runs `pi-chronicle check` with its arguments; resolves to the exit code. */
export async function checkVerb(args: readonly string[], signal: AbortSignal): Promise<number> {
	const [{ runProjectCommand }, { check }] = await Promise.all([import("../../ui/index.ts"), import("./verb.ts")]);
	return runProjectCommand(check, args, signal);
}
