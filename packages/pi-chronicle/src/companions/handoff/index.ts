import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { openOnce, registerOwnCommand } from "../../pi/index.ts";
import type { HandoffHost, HandoffSession } from "./session.ts";

/** Opens the session's handoff on first use. */
export type OpenHandoff = () => Promise<HandoffSession>;

/** Registers `/handoff`. */
export function registerHandoff(pi: ExtensionAPI, host: HandoffHost): OpenHandoff {
	const open = openOnce(async () => (await import("./session.ts")).openHandoff(pi, host));
	registerOwnCommand(pi, "handoff", {
		description: "Continue this session in a fresh context: /handoff <direction>",
		handler: async (args, ctx) => {
			const { runHandoffCommand } = await import("./command.ts");
			await runHandoffCommand(await open(), ctx, args);
		},
	});
	return open;
}

/** Runs `/handoff` as a step of a sequence. */
export async function handoffStep(
	open: OpenHandoff,
	ctx: ExtensionContext,
	direction: string,
): Promise<{ kind: "completed" | "aborted" } | { kind: "failed"; reason: string }> {
	const { runHandoffStep } = await import("./command.ts");
	return runHandoffStep(await open(), ctx, direction);
}
