// How full the context is, in bands. Pure.

/** Percentages at which a band begins, and what is said to the model on entering it. */
export const bands = [
	{ from: 30, tone: "muted", advice: "Write down in the notebook what must outlive this context." },
	{
		from: 50,
		tone: "warning",
		advice:
			"Write down in the notebook what must outlive this context, and finish what is open before starting something new.",
	},
	{
		from: 70,
		tone: "error",
		advice:
			"Finish the present step, write the state of the work into the notebook, and suggest a /handoff to the person.",
	},
] as const;

export type Band = (typeof bands)[number];

/** The band that `percent` lies in; `undefined` below the first. */
export function bandOf(percent: number): Band | undefined {
	return bands.findLast(({ from }) => percent >= from);
}

/** What the model is told once on entering a band. Token counts are rounded to thousands. */
export function nudgeText(band: Band, percent: number, tokens: number, contextWindow: number): string {
	const thousands = (count: number) => `${Math.round(count / 1000)}k`;
	return `Your context is ${Math.round(percent)} % full (${thousands(tokens)} of ${thousands(contextWindow)} tokens). ${band.advice}`;
}
