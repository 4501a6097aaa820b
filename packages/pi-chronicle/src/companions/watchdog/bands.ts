// Bands of context usage. Pure.

/** The percentage at which each band begins, and its color. */
const bands = [
	{ from: 30, tone: "muted" },
	{ from: 50, tone: "warning" },
	{ from: 70, tone: "error" },
] as const;

export type Band = (typeof bands)[number];

/** The band that `percent` lies in; `undefined` below the first. */
export function bandOf(percent: number): Band | undefined {
	return bands.findLast(({ from }) => percent >= from);
}
