// Text that no person typed, sent to a pi in RPC mode: it reaches the model as it is. pi's `prompt` runs a text that begins with a slash as a
// command, a skill or a template (pi 1.6.0: `text.startsWith("/")`), so such a text gets a space before it.
// L1 every text of a model, a ledger or a file goes this way; L2 "accepted" is not "begun": a message that some extension took is refused.
// In this process `pi.sendUserMessage(text)` does the same by itself: it expands nothing unless asked to.
import type { RpcLink } from "./rpc-link.ts";

/** What pi takes `text` for without running it. The conversation holds exactly this. */
export function literalText(text: string): string {
	return text.startsWith("/") ? ` ${text}` : text;
}

export type Sent =
	/** The model works on it, or gets it with its next request. */
	{ readonly kind: "taken" } | { readonly kind: "refused"; readonly reason: string };

/** Gives the model behind `link` a message; one that works already gets it at its next boundary. Resolves with what pi did with it. */
export async function sendLiteral(link: RpcLink, text: string): Promise<Sent> {
	const response = await link.send({ type: "prompt", message: literalText(text), streamingBehavior: "steer" });
	if (!response.ok) return { kind: "refused", reason: response.error };
	const { disposition } = (response.data ?? {}) as { disposition?: unknown };
	return disposition === "handled"
		? { kind: "refused", reason: "An extension took the message for itself, so the model began no turn." }
		: { kind: "taken" };
}
