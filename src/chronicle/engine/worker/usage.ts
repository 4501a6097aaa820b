// Turns pi's usage figures into what the ledger sums. Source of the shape: pi's docs/message-types.md, section Usage.
import { addSpend, NO_SPEND, type Spend } from "../../core/index.ts";

/** What one message, tool result, compaction or other entry used; nothing where `usage` is no such record. */
export function spendOf(usage: unknown): Spend {
	if (typeof usage !== "object" || usage === null) return NO_SPEND;
	const figures = usage as Readonly<Record<string, unknown>>;
	const tokens = count(figures.totalTokens);
	const cost = figures.cost;
	const costUsd = typeof cost === "object" && cost !== null ? count((cost as { total?: unknown }).total) : 0;
	return addSpend(NO_SPEND, {
		input: count(figures.input),
		output: count(figures.output),
		cacheRead: count(figures.cacheRead),
		cacheWrite: count(figures.cacheWrite),
		tokens,
		costUsd,
		// pi's figures say 0 for a model without a price, whatever it really costs.
		unmeteredTokens: costUsd === 0 ? tokens : 0,
	});
}

function count(value: unknown): number {
	return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
