// Fingerprints of the calls of this session's model, each with its outcome, so that calls that go round are noticed.
// P1 what is kept of a call goes with its turn; P2 a call of another call, such as one of a script, is not the model's; P3 calls of one message
// count in the order in which they were begun, whichever ends first.
import type { ToolExecutionEndEvent, ToolExecutionStartEvent } from "@earendil-works/pi-coding-agent";
import { callFingerprint, outcomeFingerprint, resultDigest } from "../../bounds/index.ts";
import { comparableOutcome } from "../../safety/index.ts";
import { stepTool } from "../limits/index.ts";

export interface CallFingerprints {
	begun(event: ToolExecutionStartEvent): void;
	ended(event: ToolExecutionEndEvent): void;
	/** The fingerprints of the calls that have ended since, in the order in which they were begun. */
	drain(): string[];
}

/** Opens the record of one session. */
export function openCallFingerprints(): CallFingerprints {
	const open = new Map<string, { readonly call: string; readonly whole?: string }>();
	return {
		begun({ toolCallId, toolName, args }) {
			// A step is its action: in other words it is the same wish.
			const wish = toolName === stepTool ? (args as { action?: unknown } | undefined)?.action : args;
			open.set(toolCallId, { call: callFingerprint(toolName, wish) });
		},
		ended({ toolCallId, result, isError }) {
			const print = open.get(toolCallId);
			if (print !== undefined)
				open.set(toolCallId, {
					...print,
					whole: outcomeFingerprint(print.call, resultDigest(comparableOutcome(textOf(result), isError))),
				});
		},
		drain() {
			const prints = [...open.values()].flatMap(({ whole }) => whole ?? []);
			open.clear();
			return prints;
		},
	};
}

function textOf(result: unknown): string {
	const content = (result as { content?: unknown } | null | undefined)?.content;
	const parts: { text?: unknown; data?: unknown }[] = Array.isArray(content) ? content : [];
	return parts.map(({ text, data }) => String(text ?? data ?? "")).join("\n");
}
