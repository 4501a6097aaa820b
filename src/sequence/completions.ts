// What may follow `/sequence `: the verbs, then the saved names where a verb takes one.
import { type SequenceLocation, savedNames, sequenceVerbs } from "./saved.ts";

interface Completion {
	readonly value: string;
	readonly label: string;
}

/** Nothing where the words are complete, or where arguments of a run are typed. `running`: a sequence is on in this session. */
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
