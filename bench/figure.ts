// What a bench gives and how a figure is judged. Every other file of this folder that exports `bench` is run by run.ts.

/** One measured figure. */
export interface Row {
	readonly figure: string;
	readonly value: number;
	/** `ms`, `bytes`, `×` for a ratio, … */
	readonly unit: string;
	/** What it must reach; without it the figure is only for comparison. */
	readonly must?: { readonly most: number } | { readonly least: number };
}

export interface Figures {
	readonly name: string;
	readonly rows: readonly Row[];
	/** How it was measured, in a sentence or two; printed below the rows. */
	readonly how?: string;
}

export type Bench = () => Promise<Figures>;

/** Whether a row reaches what it must; `undefined` where nothing is asked of it. */
export function reaches({ value, must }: Row): boolean | undefined {
	if (must === undefined) return undefined;
	return "most" in must ? value <= must.most : value >= must.least;
}

/** The middle value; the mean of the two middle ones of an even number. Throws for an empty list. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
	if (low === undefined || high === undefined) throw new Error("There is no median of nothing.");
	return (low + high) / 2;
}

/** The value below which `share` (0 to 1) of the values lie. Throws for an empty list. */
export function quantile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
	if (value === undefined) throw new Error("There is no quantile of nothing.");
	return value;
}
