// What the figures of a run leave out, in words. Pure.
import { shortCount } from "../../../pi/index.ts";
import type { Spend } from "../../core/index.ts";

/** `1.2k tokens without a price, 3 answers without usage figures`; empty: nothing is left out. */
export function uncountedText({
	unmeteredTokens,
	unreportedAnswers = 0,
}: Pick<Spend, "unmeteredTokens" | "unreportedAnswers">): string {
	const unmetered = unmeteredTokens > 0 ? [`${shortCount(unmeteredTokens)} tokens without a price`] : [];
	const answers = unreportedAnswers === 1 ? "1 answer" : `${shortCount(unreportedAnswers)} answers`;
	return [...unmetered, ...(unreportedAnswers > 0 ? [`${answers} without usage figures`] : [])].join(", ");
}
