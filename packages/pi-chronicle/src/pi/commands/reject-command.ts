// Refuses a command with a reason.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type NoticeLevel, say } from "../display/say.ts";
import { exitCodes, failWith } from "./exit-code.ts";

/** Shows the reason, and sets the exit code in a session without a screen. `usage`: nothing was started. */
export function rejectCommand(
	ctx: Pick<ExtensionContext, "hasUI" | "mode" | "ui">,
	reason: string,
	{ tone = "error", code = exitCodes.usage }: { readonly tone?: NoticeLevel; readonly code?: number } = {},
): void {
	say(ctx, reason, tone);
	failWith(ctx, code);
}
