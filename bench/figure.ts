// What a benchmark returns, and whether its figures reach their bounds. run.ts runs every file in this folder that exports `bench`.

/** One measured figure. */
export interface Row {
	readonly figure: string;
	readonly value: number;
	/** `ms`, `bytes`, `×` for a ratio, … */
	readonly unit: string;
	/** The bound; absent for a figure that serves only for comparison. */
	readonly must?: { readonly most: number } | { readonly least: number };
}

export interface Figures {
	readonly name: string;
	readonly rows: readonly Row[];
	/** How it was measured, in one or two sentences; printed with the rows. */
	readonly how?: string;
}

export type Bench = () => Promise<Figures>;

/** Whether a row reaches its bound; `undefined` without one. */
export function reaches({ value, must }: Row): boolean | undefined {
	if (must === undefined) return undefined;
	return "most" in must ? value <= must.most : value >= must.least;
}

/** The median; the mean of the two middle values of an even number. Throws for an empty list. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
	if (low === undefined || high === undefined) throw new Error("The median of no values is undefined.");
	return (low + high) / 2;
}

/** The value below which `share` (0 to 1) of the values lie. Throws for an empty list. */
export function quantile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
	if (value === undefined) throw new Error("The quantile of no values is undefined.");
	return value;
}
