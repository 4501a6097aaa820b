// Fingerprints of the calls of this session's model, each with its outcome, so that calls that go round are noticed.
// P1 what is kept of a call goes when it ends; P2 a call of another call, such as one of a script, is not the model's.
import type { ToolExecutionEndEvent, ToolExecutionStartEvent } from "@earendil-works/pi-coding-agent";
import { digestOfResult, printOfCall, printWithOutcome } from "../../bounds/index.ts";
import { outcomeText } from "../../safety/index.ts";
import { stepTool } from "../limits/index.ts";

export interface CallPrints {
	begun(event: ToolExecutionStartEvent): void;
	/** The fingerprint of a call that has ended; `undefined` where its begin was not seen. */
	ended(event: ToolExecutionEndEvent): string | undefined;
	clear(): void;
}

/** Opens the record of one session. */
export function openCallPrints(): CallPrints {
	const open = new Map<string, string>();
	return {
		begun({ toolCallId, toolName, args }) {
			// A step is its action: in other words it is the same wish.
			const wish = toolName === stepTool ? (args as { action?: unknown } | undefined)?.action : args;
			open.set(toolCallId, printOfCall(toolName, wish));
		},
		ended({ toolCallId, result, isError }) {
			const print = open.get(toolCallId);
			open.delete(toolCallId);
			return print && printWithOutcome(print, digestOfResult(outcomeText(textOf(result), isError)));
		},
		clear: () => open.clear(),
	};
}

function textOf(result: unknown): string {
	const content = (result as { content?: unknown } | null | undefined)?.content;
	const parts: { text?: unknown; data?: unknown }[] = Array.isArray(content) ? content : [];
	return parts.map(({ text, data }) => String(text ?? data ?? "")).join("\n");
}
