// The calls of the model's current message, so that a call can wait for the others. pi starts all calls of a message before it runs the first,
// unless one of their tools demands that they run one by one.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export interface MessageCalls {
	/**
	 * Waits until the other calls of the message with `call` have ended. `unstarted`: some of them begin only after this one. A call that another
	 * tool makes does not wait: it is none of the message's.
	 */
	othersEnded(call: string, signal: AbortSignal | undefined): Promise<"ended" | "unstarted" | "aborted">;
}

/** Follows the calls of one process. */
export function followCalls(pi: Pick<ExtensionAPI, "on">): MessageCalls {
	let calls: readonly string[] = [];
	const started = new Set<string>();
	const ended = new Set<string>();
	const waiting = new Set<() => void>();
	const wake = (): void => {
		for (const look of waiting) look();
	};
	pi.on("message_end", ({ message }) => {
		if (message.role !== "assistant") return;
		calls = message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []));
		started.clear();
		ended.clear();
	});
	pi.on("tool_execution_start", ({ toolCallId }) => void started.add(toolCallId));
	pi.on("tool_execution_end", ({ toolCallId }) => {
		ended.add(toolCallId);
		wake();
	});
	return {
		async othersEnded(call, signal) {
			const others = calls.includes(call) ? calls.filter((other) => other !== call) : [];
			if (others.some((other) => !started.has(other))) return "unstarted";
			const all = (): boolean => others.every((other) => ended.has(other));
			await new Promise<void>((resolve) => {
				const look = (): void => {
					if (!all() && !signal?.aborted) return;
					waiting.delete(look);
					signal?.removeEventListener("abort", look);
					resolve();
				};
				waiting.add(look);
				signal?.addEventListener("abort", look);
				look();
			});
			return all() ? "ended" : "aborted";
		},
	};
}
