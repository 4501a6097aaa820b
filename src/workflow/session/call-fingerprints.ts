// Fingerprints of the tool calls of this session's model, each with its outcome, so that repetition is noticed.
// P1 fingerprints are dropped with their turn; P2 only calls of the model itself count, not those that a script makes; P3 calls of one
// message count in the order in which they started, whichever ends first.
import type { ToolExecutionEndEvent, ToolExecutionStartEvent } from "@earendil-works/pi-coding-agent";
import { callFingerprint, outcomeFingerprint, resultDigest } from "../../bounds/index.ts";
import { comparableOutcome } from "../../safety/index.ts";
import { stepTool } from "../limits/index.ts";

export interface CallFingerprints {
	onStart(event: ToolExecutionStartEvent): void;
	onEnd(event: ToolExecutionEndEvent): void;
	/** The fingerprints of the calls that have ended, in the order in which they started; forgets all calls. */
	drain(): string[];
}

/** Opens the record of one session. */
export function openCallFingerprints(): CallFingerprints {
	const calls = new Map<string, { readonly call: string; readonly withOutcome?: string }>();
	return {
		onStart({ toolCallId, toolName, args }) {
			// Another summary does not make another step.
			const relevant = toolName === stepTool ? (args as { action?: unknown } | undefined)?.action : args;
			calls.set(toolCallId, { call: callFingerprint(toolName, relevant) });
		},
		onEnd({ toolCallId, result, isError }) {
			const started = calls.get(toolCallId);
			if (started === undefined) return;
			const outcome = resultDigest(comparableOutcome(textOf(result), isError));
			calls.set(toolCallId, { ...started, withOutcome: outcomeFingerprint(started.call, outcome) });
		},
		drain() {
			const ended = [...calls.values()].flatMap(({ withOutcome }) => withOutcome ?? []);
			calls.clear();
			return ended;
		},
	};
}

function textOf(result: unknown): string {
	const content = (result as { content?: unknown } | null | undefined)?.content;
	const parts: { text?: unknown; data?: unknown }[] = Array.isArray(content) ? content : [];
	return parts.map(({ text, data }) => String(text ?? data ?? "")).join("\n");
}
