// Converts pi's usage figures for the ledger's sums. Source of the shape: pi's docs/message-types.md, section Usage.
import { propertiesOf } from "@pi-chronicle/core/definition";
import { addSpend, NO_SPEND, type Spend } from "@pi-chronicle/core/machine";

/** The usage of one message, tool result, compaction or other entry; nothing if `usage` is not such a record. */
export function spendOf(usage: unknown): Spend {
	const figures = propertiesOf(usage);
	const tokens = countOrZero(figures.totalTokens);
	const costUsd = countOrZero(propertiesOf(figures.cost).total);
	return addSpend(NO_SPEND, {
		input: countOrZero(figures.input),
		output: countOrZero(figures.output),
		cacheRead: countOrZero(figures.cacheRead),
		cacheWrite: countOrZero(figures.cacheWrite),
		tokens,
		costUsd,
		// pi reports 0 for a model without a price, regardless of its real cost.
		unmeteredTokens: costUsd === 0 ? tokens : 0,
	});
}

/** The usage of an answer of a model. One that was neither refused nor cut off, and has no usage, counts as unreported. */
export function spendOfAnswer({
	usage,
	stopReason,
}: {
	readonly usage?: unknown;
	readonly stopReason?: unknown;
}): Spend {
	const spend = spendOf(usage);
	const isWhole = stopReason !== "error" && stopReason !== "aborted";
	return isWhole && spend.tokens === 0 ? addSpend(spend, { ...NO_SPEND, unreportedAnswers: 1 }) : spend;
}

function countOrZero(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
