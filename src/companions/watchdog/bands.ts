// Bands of context usage. Pure.

/** The percentage at which each band begins, and the advice that the model gets when usage enters it. */
export const bands = [
	{ from: 30, tone: "muted", advice: "Write everything that must survive this context to the notebook." },
	{
		from: 50,
		tone: "warning",
		advice:
			"Write everything that must survive this context to the notebook, and finish open work before you start anything new.",
	},
	{
		from: 70,
		tone: "error",
		advice: "Finish the current step, write the state of the work to the notebook, and suggest a /handoff to the user.",
	},
] as const;

export type Band = (typeof bands)[number];

/** The band that `percent` lies in; `undefined` below the first. */
export function bandOf(percent: number): Band | undefined {
	return bands.findLast(({ from }) => percent >= from);
}

/** The message to the model, sent once per band. Token counts are rounded to thousands. */
export function nudgeText(band: Band, percent: number, tokens: number, contextWindow: number): string {
	const thousands = (count: number) => `${Math.round(count / 1000)}k`;
	return `Your context is ${Math.round(percent)} % full (${thousands(tokens)} of ${thousands(contextWindow)} tokens). ${band.advice}`;
}
