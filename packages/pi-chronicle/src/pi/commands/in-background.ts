// Work that nobody awaits, such as a page that stays open after its command has ended.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { say } from "../display/say.ts";
import { hasEnded } from "./own-commands.ts";

/**
 * Runs `work`. An error after the end of the session of `ctx` is dropped, because its screen is gone; any other is shown. Without this, pi would
 * exit because of either.
 */
export function inBackground(ctx: ExtensionContext, work: () => Promise<unknown>): void {
	void runWork(ctx, work);
}

async function runWork(ctx: ExtensionContext, work: () => Promise<unknown>): Promise<void> {
	try {
		await work();
	} catch (error) {
		const { message } = (await import("./error-in-words.ts")).errorInWords(error);
		if (!hasEnded(ctx)) say(ctx, message, "error");
	}
}
