import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type HandoffSession, openHandoff, requestHandoff } from "./session.ts";

export { type HandoffOutcome, type HandoffSession, handoffStep } from "./session.ts";

/** Registers `/handoff`. `notebookOn` tells whether the model may write notebook pages before it hands over. */
export function registerHandoff(pi: ExtensionAPI, notebookOn: () => boolean): HandoffSession {
	const session = openHandoff(pi, notebookOn);
	pi.registerCommand("handoff", {
		description: "Let a fresh context go on in this session: /handoff <direction>",
		handler: async (args, ctx) => void (await requestHandoff(session, ctx, args)),
	});
	return session;
}
