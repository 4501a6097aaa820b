// `[run] [visit | all]`, as `diff` takes it. Pure.

export interface VisitWords {
	readonly named?: string;
	readonly visit?: number | "all";
}

/** Reads the words; a text says what is wrong with them. `isRun`: whether a number is the beginning of an id. */
export function readVisitWords(words: readonly string[], isRun: (word: string) => boolean): VisitWords | string {
	const [first, second, surplus] = words;
	if (surplus !== undefined || (second !== undefined && visitIn(second) === undefined))
		return "diff takes a run and a visit: diff [run] [visit | all].";
	if (first === undefined) return {};
	const visit = visitIn(second ?? first);
	if (second !== undefined && visit !== undefined) return { named: first, visit };
	return visit === undefined || isRun(first) ? { named: first } : { visit };
}

function visitIn(word: string): number | "all" | undefined {
	return word === "all" ? "all" : /^\d{1,6}$/.test(word) ? Number(word) : undefined;
}
