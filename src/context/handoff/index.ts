import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type HandoffSession, type NotebookView, openHandoff, runHandoffCommand } from "./session.ts";

export { type HandoffOutcome, type HandoffSession, handoffStep } from "./session.ts";

/** Registers `/handoff`. The notebook is offered to the model before the cut, and introduced to its successor after it. */
export function registerHandoff(pi: ExtensionAPI, notebook: NotebookView): HandoffSession {
	const session = openHandoff(pi, notebook);
	pi.registerCommand("handoff", {
		description: "Let a fresh context go on in this session: /handoff <direction>",
		handler: (args, ctx) => runHandoffCommand(session, ctx, args),
	});
	return session;
}
