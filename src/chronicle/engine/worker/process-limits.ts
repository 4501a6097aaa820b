// Limits of a worker as its process counts them: from its start. Pure.
import type { Spend, WorkerLimits } from "../../core/index.ts";

/** What the process may use in all. `left`: what it still may, beyond what it has used by then. */
export function sinceStart(
	{ costUsd, tokens }: Pick<WorkerLimits, "costUsd" | "tokens">,
	used: Spend,
	{ countCacheReads }: WorkerLimits,
): Pick<WorkerLimits, "costUsd" | "tokens"> {
	const usedTokens = countCacheReads ? used.tokens : used.tokens - used.cacheRead;
	return {
		...(costUsd === undefined ? {} : { costUsd: costUsd + used.costUsd }),
		...(tokens === undefined ? {} : { tokens: tokens + usedTokens }),
	};
}
