// Fingerprints of the model's tool calls and their outcomes, for detecting repetition.
// Fingerprints are dropped at the end of their turn; only calls made by the model itself count, not those made by a script;
// the calls of one message count in start order, regardless of which ends first.
import type { ToolExecutionEndEvent, ToolExecutionStartEvent } from "@earendil-works/pi-coding-agent";
import { callFingerprint, outcomeFingerprint, resultDigest } from "@pi-chronicle/core/bounds";
import { comparableOutcome } from "../../safety/index.ts";
import { stepTool } from "../limits/index.ts";

export interface CallFingerprints {
	onStart(event: ToolExecutionStartEvent): void;
	onEnd(event: ToolExecutionEndEvent): void;
	/** Returns the fingerprints of the calls that have ended, in start order, and forgets all calls. */
	drain(): string[];
}

/** Opens the fingerprint record of one session. */
export function openCallFingerprints(): CallFingerprints {
	const calls = new Map<string, { readonly call: string; readonly withOutcome?: string }>();
	return {
		onStart({ toolCallId, toolName, args }) {
			// A step with a different summary is still the same step.
			const relevant = toolName === stepTool ? (args as { action?: unknown } | undefined)?.action : args;
			calls.set(toolCallId, { call: callFingerprint(toolName, relevant) });
		},
		onEnd({ toolCallId, toolName, result, isError }) {
			const started = calls.get(toolCallId);
			if (started === undefined) return;
			const outcome = resultDigest(comparableOutcome(outcomeText(toolName, textOfResult(result)), isError));
			calls.set(toolCallId, { ...started, withOutcome: outcomeFingerprint(started.call, outcome) });
		},
		drain() {
			const ended = [...calls.values()].flatMap(({ withOutcome }) => withOutcome ?? []);
			calls.clear();
			return ended;
		},
	};
}

/** Of a step, the line that states its outcome: the phase below it counts the rounds and repeats the model's summary. */
function outcomeText(tool: string, text: string): string {
	return tool === stepTool ? (text.split("\n", 1)[0] ?? "") : text;
}

function textOfResult(result: unknown): string {
	const content = (result as { content?: unknown } | null | undefined)?.content;
	const parts: { text?: unknown; data?: unknown }[] = Array.isArray(content) ? content : [];
	return parts.map(({ text, data }) => String(text ?? data ?? "")).join("\n");
}
