// What is offered behind `/workflow `: names and verbs, then the argument of a verb. Imports nothing that reads definitions, so that the first
// key costs nothing.
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { shippedNames } from "../tools/shipped/index.ts";

/** The verbs that apply without a run. */
export const verbsWithoutRun: readonly string[] = ["list", "check", "init", "show"];

export interface OfferedWords {
	/** The words that start a workflow, each with the workflow's name. */
	readonly names: readonly (readonly [command: string, name: string])[];
	/** Whether a workflow can be started now. */
	readonly startable: boolean;
	/** The verbs that apply now. */
	readonly verbs: readonly string[];
	/** The phases that `back` can return to. */
	readonly earlier: readonly string[];
}

/** The items that complete `prefix`; `null` if the input is complete. */
export function offerWords(
	{ names, startable, verbs, earlier }: OfferedWords,
	prefix: string,
): AutocompleteItem[] | null {
	const named = names.map(([command, name]) => ({ value: command, label: command, description: name }));
	const taken = new Set(named.map(({ label }) => label));
	const spelled = (word: string) => (taken.has(word) || prefix.startsWith("--") ? `--${word}` : word);
	const [, verb, argument = ""] = /^(\S+) +(\S*)$/.exec(prefix) ?? [];
	const behind = (labels: readonly string[]) => labels.map((label) => ({ value: `${verb} ${label}`, label }));
	const argumentsOf = (word: string) =>
		word === spelled("back") ? earlier : word === spelled("init") ? shippedNames() : [];
	const offered =
		verb === undefined
			? [...(startable ? named : []), ...verbs.map((word) => ({ value: spelled(word), label: spelled(word) }))]
			: verb === spelled("show")
				? named.map((item) => ({ ...item, value: `${verb} ${item.value}` }))
				: behind(argumentsOf(verb));
	const typed = verb === undefined ? prefix : argument;
	const found = offered.filter(({ label }) => label.startsWith(typed));
	// With an open list, Enter selects an item instead of sending the complete command.
	return found.length === 0 || found.some(({ label }) => label === typed) ? null : found;
}
