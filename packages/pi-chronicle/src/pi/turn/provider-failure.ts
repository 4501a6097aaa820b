// Classifies a provider's error message. Pure. The patterns follow the public error documentation of the providers (Anthropic, OpenAI,
// Google, OpenRouter, AWS) and of Node's sockets.

/** `transient`: retry later; `quota`, `auth`: the user must act; `provider_error`: unknown. */
export type ProviderFailure = "quota" | "auth" | "transient" | "provider_error";

const kinds: readonly (readonly [ProviderFailure, RegExp])[] = [
	[
		"quota",
		/insufficient[_ ]quota|exceeded your current quota|quota (?:exceeded|exhausted)|billing|credit balance|insufficient (?:credits?|funds|balance)|payment required|spend(?:ing)? limit|monthly (?:usage )?limit|available balance|out of budget|\b402\b|out of (?:credits|extra usage)/i,
	],
	[
		"auth",
		/\b401\b|\b403\b|unauthori[sz]ed|authentication|invalid (?:x-)?api[- _]?key|incorrect api key|api key (?:not|is) |no api key|permission[_ ]?(?:denied|error)|forbidden|token (?:has )?expired|oauth|not logged in|credentials/i,
	],
	[
		"transient",
		/\b(?:408|409|425|429|500|502|503|504|520|522|524|529)\b|rate.?limit|too many requests|overloaded|capacity|temporar|try again|usage.?limit|timed? ?out|timeout|econnreset|econnrefused|enotfound|eai_again|epipe|socket|network|fetch failed|connection|terminated|stream (?:ended|closed)|premature|unavailable|internal (?:server )?error|bad gateway/i,
	],
];

/** The status with which a message begins, as pi writes those of HTTP: `429 {…}`, `Error: 503 …`. */
const leadingStatus = /^\s*(?:error:?\s*)?(\d{3})\b/i;

/** Classifies a provider's error message. An exhausted quota is also reported with 429, so it is checked first. */
export function classifyProviderError(message: string): ProviderFailure {
	const status = Number(leadingStatus.exec(message)?.[1]);
	// The text of a server's own failure may mention anything.
	if (status >= 500 && status < 600) return "transient";
	for (const [kind, words] of kinds)
		if (words.test(message)) return status === 429 && kind === "auth" ? "transient" : kind;
	return "provider_error";
}
