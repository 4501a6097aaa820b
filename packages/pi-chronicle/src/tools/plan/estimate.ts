// Estimates the cost of a run from the sizes of the requests of its rehearsal. Pure.
// A rehearsal makes few requests with small results; a model makes more. So an estimate is a range: from the rehearsal's own requests to
// `busyRequests` requests per visit that each add `busyTokens`.

/** A range from the least to the most expected. */
export type Range = readonly [min: number, max: number];

export interface Estimate {
	/** As pi totals them, cache reads included. */
	readonly tokens: Range;
	/** USD; `undefined` if the price is unknown. */
	readonly costUsd: Range | undefined;
}

/** Usage of actual requests: tokens as pi totals them, USD. */
export interface Usage {
	readonly tokens: number;
	readonly costUsd: number;
}

const charactersPerToken = 4;
const outputTokens = 250;
const busyRequests = 30;
const busyTokens = 1_500;

/** Estimates a run from its visits, each as the characters of its requests in order. `sample` gives the price of a token of the same model. */
export function estimateRun(visits: readonly (readonly number[])[], sample: Usage): Estimate {
	const min = sum(visits.map(tokensOf));
	const max = sum(visits.map(([first]) => (first === undefined ? 0 : tokensOf(busyVisit(first)))));
	const price = sample.tokens > 0 ? sample.costUsd / sample.tokens : 0;
	const tokens: Range = [min, Math.max(min, max)];
	return { tokens, costUsd: price > 0 ? [tokens[0] * price, tokens[1] * price] : undefined };
}

function tokensOf(sizes: readonly number[]): number {
	return sum(sizes.map((characters) => Math.ceil(characters / charactersPerToken) + outputTokens));
}

function busyVisit(first: number): number[] {
	return Array.from({ length: busyRequests }, (_, index) => first + index * busyTokens * charactersPerToken);
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}
