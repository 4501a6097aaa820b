// Counts the usage of a session's model answers and tool results: tokens as pi totals them, and USD.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export interface Spent {
	readonly tokens: number;
	readonly costUsd: number;
	/** A model that has answered without a cost: it has no price, or reports no usage; absent: none has. */
	readonly uncosted?: string;
}

/** Counts from now on, across all runs of the session. `listener` gets each new total; `stop` ends the count and returns the totals. */
export function meterUsage(pi: ExtensionAPI, listener: (spent: Spent) => void): { stop(): Spent } {
	let tokens = 0;
	let costUsd = 0;
	let uncosted: string | undefined;
	const spent = (): Spent => ({ tokens, costUsd, uncosted });
	const unsubscribe = pi.on("message_end", ({ message }) => {
		// A tool's result may include model usage too, as a child session's does.
		if ((message.role !== "assistant" && message.role !== "toolResult") || message.usage === undefined) return;
		tokens += message.usage.totalTokens;
		costUsd += message.usage.cost.total;
		const isAnswer = message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted";
		if (isAnswer && message.usage.cost.total === 0) uncosted ??= `${message.provider}/${message.model}`;
		listener(spent());
	});
	return {
		stop() {
			unsubscribe();
			return spent();
		},
	};
}
