// Refuses a command with a reason.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { exitCodes, failWith, say } from "../pi/index.ts";

/** Shows the reason; without a screen the exit code shows it too. `usage`: nothing was started. */
export function rejectCommand(ctx: ExtensionContext, reason: string, code: number = exitCodes.usage): void {
	failWith(ctx, code);
	say(ctx, reason, "error");
}

/** Splits a text into its first word and what follows it. */
export function firstWord(text: string): [string, string] {
	const [, first = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
	return [first, rest];
}
