// Model usage: sums of pi's usage figures. Tokens are counts, cost is in USD.

export interface Spend {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	/** As pi totals them. */
	readonly tokens: number;
	readonly costUsd: number;
	/** The part of `tokens` used on models without a price. */
	readonly unmeteredTokens: number;
	/** Answers without usage figures, which no other figure includes; absent: none. */
	readonly unreportedAnswers?: number;
}

export const NO_SPEND: Spend = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	tokens: 0,
	costUsd: 0,
	unmeteredTokens: 0,
};

export function addSpend(one: Spend, other: Spend): Spend {
	return combineSpend(one, other, (a, b) => a + b);
}

/** `now` minus `before`, at least zero in every figure. */
export function spendBeyond(now: Spend, before: Spend): Spend {
	return combineSpend(now, before, (a, b) => Math.max(0, a - b));
}

/** The greater of each figure. */
export function greaterSpend(one: Spend, other: Spend): Spend {
	return combineSpend(one, other, Math.max);
}

function combineSpend(one: Spend, other: Spend, of: (a: number, b: number) => number): Spend {
	const unreportedAnswers = of(one.unreportedAnswers ?? 0, other.unreportedAnswers ?? 0);
	return {
		input: of(one.input, other.input),
		output: of(one.output, other.output),
		cacheRead: of(one.cacheRead, other.cacheRead),
		cacheWrite: of(one.cacheWrite, other.cacheWrite),
		tokens: of(one.tokens, other.tokens),
		// Rounded to a billionth of a dollar, so that sums do not depend on the order of small additions.
		costUsd: Math.round(of(one.costUsd, other.costUsd) * 1e9) / 1e9,
		unmeteredTokens: of(one.unmeteredTokens, other.unmeteredTokens),
		...(unreportedAnswers > 0 ? { unreportedAnswers } : {}),
	};
}
