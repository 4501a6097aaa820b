// The message that the model gets when its context usage enters a band. Loaded when the first one is due.
import type { Band } from "./bands.ts";

const advice: Readonly<Record<Band["from"], string>> = {
	30: "Write everything that must survive this context to the notebook.",
	50: "Write everything that must survive this context to the notebook, and finish open work before you start anything new.",
	70: "Finish the current step, write the state of the work to the notebook, and suggest a /handoff to the user.",
};

/** The message to the model, sent once per band. Token counts are rounded to thousands. */
export function nudgeText({ from }: Band, percent: number, tokens: number, contextWindow: number): string {
	const thousands = (count: number) => `${Math.round(count / 1000)}k`;
	return `Your context is ${Math.round(percent)} % full (${thousands(tokens)} of ${thousands(contextWindow)} tokens). ${advice[from]}`;
}
