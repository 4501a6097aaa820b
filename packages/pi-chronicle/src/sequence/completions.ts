// Completions after `/sequence `: the verbs, then the saved names if the verb takes one.
import { type SequenceLocation, savedNames, sequenceVerbs } from "./saved.ts";

interface Completion {
	readonly value: string;
	readonly label: string;
}

/** Returns `null` if the words are complete or the user types arguments of a run. `running`: a sequence is running in this session. */
export function completeSequence(prefix: string, place: SequenceLocation, running: boolean): Completion[] | null {
	const [, verb, typed = ""] = /^(\S+) +(\S*)$/.exec(prefix) ?? [];
	const offered =
		verb === undefined
			? sequenceVerbs.filter((word) => (word === "stop") === running)
			: verb === "stop"
				? ["now", "step", "run"]
				: ["run", "show", "edit", "delete"].includes(verb)
					? savedNames(place)
					: [];
	const word = verb === undefined ? prefix : typed;
	const found = offered.filter((label) => label.startsWith(word));
	if (found.length === 0 || found.includes(word)) return null;
	return found.map((label) => ({ value: verb === undefined ? label : `${verb} ${label}`, label }));
}
