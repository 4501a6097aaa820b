// What the model's answers in a session use while somebody counts: tokens as pi totals them, USD.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export interface Spent {
	readonly tokens: number;
	readonly costUsd: number;
}

/** Counts from now on, over all runs of the session; `stop` ends that and gives the sums. */
export function meterUsage(pi: ExtensionAPI): { stop(): Spent } {
	let tokens = 0;
	let costUsd = 0;
	const unsubscribe = pi.on("message_end", ({ message }) => {
		if (message.role !== "assistant") return;
		tokens += message.usage.totalTokens;
		costUsd += message.usage.cost.total;
	});
	return {
		stop() {
			unsubscribe();
			return { tokens, costUsd };
		},
	};
}
