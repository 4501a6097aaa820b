import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { HandoffSession, NotebookView } from "./session.ts";

/** Opens the session's handoff when it is first asked for. */
export type OpenHandoff = () => Promise<HandoffSession>;

/** Registers `/handoff`. The notebook is offered to the model before the cut, and introduced to its successor after it. */
export function registerHandoff(pi: ExtensionAPI, notebook: NotebookView): OpenHandoff {
	let opened: Promise<HandoffSession> | undefined;
	const open: OpenHandoff = () => {
		opened ??= import("./session.ts").then(({ openHandoff }) => openHandoff(pi, notebook));
		return opened;
	};
	pi.registerCommand("handoff", {
		description: "Let a fresh context go on in this session: /handoff <direction>",
		handler: async (args, ctx) => {
			const { runHandoffCommand } = await import("./command.ts");
			await runHandoffCommand(await open(), ctx, args);
		},
	});
	return open;
}

/** `/handoff` as a step of a sequence. */
export async function handoffStep(
	open: OpenHandoff,
	ctx: ExtensionContext,
	direction: string,
): Promise<{ kind: "completed" | "aborted" } | { kind: "failed"; reason: string }> {
	const { runHandoffStep } = await import("./command.ts");
	return runHandoffStep(await open(), ctx, direction);
}
