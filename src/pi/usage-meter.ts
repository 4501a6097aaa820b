// What the model's answers and the tools' results in a session use while somebody counts: tokens as pi totals them, USD.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export interface Spent {
	readonly tokens: number;
	readonly costUsd: number;
}

/** Counts from now on, over all runs of the session; `listener` hears each new sum, `stop` ends that and gives the sums. */
export function meterUsage(pi: ExtensionAPI, listener: (spent: Spent) => void = () => {}): { stop(): Spent } {
	let tokens = 0;
	let costUsd = 0;
	const unsubscribe = pi.on("message_end", ({ message }) => {
		// A tool's result may have used a model too: a child session does.
		if ((message.role !== "assistant" && message.role !== "toolResult") || message.usage === undefined) return;
		tokens += message.usage.totalTokens;
		costUsd += message.usage.cost.total;
		listener({ tokens, costUsd });
	});
	return {
		stop() {
			unsubscribe();
			return { tokens, costUsd };
		},
	};
}
