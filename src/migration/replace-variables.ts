// Replaces variables of other tools in texts for workers: a chronicle's worker already has the task and the results of earlier states, so the
// text refers to them.

export const theTask = "[the task of this run]";
export const theResult = "[the result of the previous state]";

/** `part`: a part of the result, such as the name of a field. */
export function resultOf(step: string, part = ""): string {
	return `[the result of the state ${step}${part === "" ? "" : `: ${part}`}]`;
}

/**
 * Replaces variables. `variable` matches one with its name in group 1; `words` returns its replacement, or `undefined` to keep it.
 * Replacements are not expanded again.
 */
export function replaceVariables(text: string, variable: RegExp, words: (name: string) => string | undefined): string {
	return text.replace(variable, (written: string, name: string) => words(name.trim()) ?? written);
}
