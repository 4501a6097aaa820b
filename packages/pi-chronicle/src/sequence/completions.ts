// Completions after `/sequence `: the verbs, then the saved names if the verb takes one.
import type { ChoiceList } from "../pi/index.ts";
import { type SequenceLocation, savedNames, sequenceVerbs } from "./saved.ts";
import type { SequenceSession } from "./session.ts";

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

/** What `/sequence` lists when it is typed alone; `undefined`: its handler answers, which records. */
export function sequenceChoices(
	place: SequenceLocation,
	{ activeRun, recording }: Pick<SequenceSession, "activeRun" | "recording">,
): ChoiceList | undefined {
	const saved = savedNames(place);
	if (saved.length === 0 || activeRun !== undefined || recording) return undefined;
	const runs = saved.map((name) => ({ words: `run ${name}`, name: `run ${name}`, about: "", whole: false }));
	return {
		title: "Sequences",
		text: "",
		choices: [
			{ words: "", name: "record", about: "records a new one, or offers the last recording", whole: true },
			...runs,
			{ words: "list", name: "list", about: "the saved sequences", whole: true },
			{ words: "show", name: "show", about: "the steps of a saved one, or of the last recording", whole: false },
			{ words: "save", name: "save", about: "saves the last recording under a name", whole: false },
			{ words: "edit", name: "edit", about: "changes a saved one", whole: false },
			{ words: "delete", name: "delete", about: "deletes a saved one", whole: false },
		],
	};
}
