// Loads what the first request to a model needs, in a worker that waits for its adoption.
import type { Api, Model } from "@earendil-works/pi-ai";
import { streamSimple } from "@earendil-works/pi-ai/compat";

/** Loads the provider of `model`. A call that is aborted before it begins makes pi load it, and sends nothing. */
export async function loadProvider(model: Model<Api>): Promise<void> {
	const context = { systemPrompt: "", messages: [] };
	await streamSimple(model, context, { signal: AbortSignal.abort() }).result();
}
