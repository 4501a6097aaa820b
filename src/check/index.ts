// One check over everything that a project has. It may use every feature, as rehearsals may; nothing but the command line uses it.

/** The verb `pi-chronicle check`: runs it with the words after it and resolves to the exit code. */
export async function checkVerb(args: readonly string[], signal: AbortSignal): Promise<number> {
	const [{ runProjectCommand }, { check }] = await Promise.all([import("../chronicle/index.ts"), import("./verb.ts")]);
	return runProjectCommand(check, args, signal);
}
