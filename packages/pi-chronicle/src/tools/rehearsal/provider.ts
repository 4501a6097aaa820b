// The understudy as a provider of pi, built on pi's faux provider. Its names make clear that it is no model. Every request gets one answer,
// including concurrent requests.
import { setTimeout as sleep } from "node:timers/promises";
import {
	type AssistantMessage,
	fauxAssistantMessage,
	fauxProvider,
	fauxText,
	fauxToolCall,
	getCurrentTools,
	type Provider,
	type ToolCall,
	type TranscriptContext,
} from "@earendil-works/pi-ai";
import { contentText } from "../../pi/index.ts";
import { asksForHandoff } from "./handoff-request.ts";
import { type CallResult, modelId, providerId, type Reply, type RequestContext } from "./understudy.ts";

export interface ProviderOptions {
	/** Answers one request. An error that it throws fails the request; it should throw when `signal` aborts. */
	readonly answer: (request: Request, signal: AbortSignal | undefined) => Reply | Promise<Reply>;
	/** Speed of the simulated stream; `undefined`: at once. */
	readonly tokensPerSecond: number | undefined;
}

/** The part of the context that a request itself contains. */
export type Request = Pick<RequestContext, "tools" | "results" | "handoffAsked"> & {
	/** Size of its messages, system prompt and tools included. */
	readonly characters: number;
	readonly messages: TranscriptContext["messages"];
};

/** Creates the provider for `pi.registerProvider`. */
export function understudyProvider({ answer, tokensPerSecond }: ProviderOptions): Provider {
	const faux = fauxProvider({
		provider: providerId,
		models: [{ id: modelId, name: "Understudy: a script, no real model", contextWindow: 200_000, input: ["text"] }],
		tokensPerSecond,
	});
	const respond = async (
		context: TranscriptContext,
		options: { readonly signal?: AbortSignal } | undefined,
	): Promise<AssistantMessage> => {
		const reply = await answer(readRequest(context), options?.signal);
		if (reply.waitMs > 0) await sleep(reply.waitMs);
		return messageOf(reply);
	};
	// The faux provider takes one queued response per request, synchronously, so each is queued right before its request.
	const { stream, streamSimple } = faux.provider;
	return {
		...faux.provider,
		name: "Understudy (no real model)",
		stream(...request) {
			faux.setResponses([respond]);
			return stream(...request);
		},
		streamSimple(...request) {
			faux.setResponses([respond]);
			return streamSimple(...request);
		},
	};
}

function messageOf({ text, calls, fail }: Reply): AssistantMessage {
	if (fail !== undefined) return fauxAssistantMessage([], { stopReason: "error", errorMessage: fail });
	const content = [
		...(text === "" ? [] : [fauxText(text)]),
		...calls.map(({ tool, input, id }) =>
			fauxToolCall(tool, input as ToolCall["arguments"], id === undefined ? undefined : { id }),
		),
	];
	return fauxAssistantMessage(content, { stopReason: calls.length > 0 ? "toolUse" : "stop" });
}

function readRequest({ messages }: TranscriptContext): Request {
	const asked = messages.findLastIndex(({ role }) => role === "assistant");
	const since = messages.slice(asked + 1);
	const results = since.flatMap((message): CallResult[] => {
		if (message.role !== "toolResult") return [];
		const text = contentText(message.content);
		return [{ tool: message.toolName, failed: message.isError, text: text.slice(0, 200) }];
	});
	const handoffAsked = asksForHandoff(since.flatMap((one) => (one.role === "user" ? [contentText(one.content)] : [])));
	const tools = new Set(getCurrentTools(messages).map(({ name }) => name));
	return { tools, results, handoffAsked, characters: JSON.stringify(messages).length, messages };
}
