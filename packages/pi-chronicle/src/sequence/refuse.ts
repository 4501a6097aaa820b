// Refuses a command with a reason.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { exitCodes, failWith, say } from "../pi/index.ts";

/** Shows the reason, and sets the exit code in a session without a screen. `usage`: nothing was started. */
export function rejectCommand(ctx: ExtensionContext, reason: string, code: number = exitCodes.usage): void {
	failWith(ctx, code);
	say(ctx, reason, "error");
}
