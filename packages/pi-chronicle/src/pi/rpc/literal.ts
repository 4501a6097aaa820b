// Sends text that the user did not type to a pi in RPC mode, so that it reaches the model unchanged. pi's `prompt` runs a text that begins
// with a slash as a command, a skill or a template (pi 1.6.0: `text.startsWith("/")`), so such a text gets a leading space.
// Every text from a model, a ledger or a file is sent this way; "accepted" does not mean "started": a message that an extension
// handled counts as refused.
// In this process `pi.sendUserMessage(text)` does the same: it expands nothing unless asked to.
import type { RpcLink } from "./rpc-link.ts";

/** Makes pi treat `text` as plain text. The conversation contains exactly the returned text. */
export function literalText(text: string): string {
	return text.startsWith("/") ? ` ${text}` : text;
}

export type Sent =
	/** The model works on it or gets it with its next request. */
	{ readonly kind: "taken" } | { readonly kind: "refused"; readonly reason: string };

/** Sends a message to the model behind `link`; a running model gets it at its next boundary. Resolves with how pi handled it. */
export async function sendLiteral(link: RpcLink, text: string): Promise<Sent> {
	const response = await link.send({ type: "prompt", message: literalText(text), streamingBehavior: "steer" });
	if (!response.ok) return { kind: "refused", reason: response.error };
	const { disposition } = (response.data ?? {}) as { disposition?: unknown };
	return disposition === "handled"
		? { kind: "refused", reason: "An extension handled the message, so the model started no turn." }
		: { kind: "taken" };
}
