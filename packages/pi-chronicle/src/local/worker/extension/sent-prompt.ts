// Records in a worker's session what every request begins with: the system prompt and the tools. It is an entry of its own, which no request
// contains, written before the first request and when one of them has changed.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** The type of the entry. Its data are `system` and `tools`, each with name, description and parameters. */
export const PROMPT_ENTRY = "chronicle:prompt";

export function recordPrompt(pi: ExtensionAPI): void {
	let recorded = "";
	pi.on("context", (_event, ctx) => {
		const active = new Set(pi.getActiveTools());
		const tools = pi
			.getAllTools()
			.filter(({ name }) => active.has(name))
			.map(({ name, description, parameters }) => ({ name, description, parameters }));
		const sent = { system: ctx.getSystemPrompt(), tools };
		const text = JSON.stringify(sent);
		if (text === recorded) return;
		recorded = text;
		pi.appendEntry(PROMPT_ENTRY, sent);
	});
}
