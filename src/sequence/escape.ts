// Escape while a sequence runs, where pi has no run to abort.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { matchesKey } from "@earendil-works/pi-tui";
import { quietly } from "./quietly.ts";
import { type RunControl, sequenceSessions } from "./session.ts";

/**
 * Escape where pi has no run to abort stops the sequence all the same: between two steps, while a session is replaced, while a chronicle is
 * waited for, and in a compaction, after which the step would go on. An open dialog keeps its Escape.
 */
export function listenForEscape(ctx: ExtensionContext, control: RunControl): () => void {
	const pi = sequenceSessions.of(ctx.sessionManager)?.pi;
	if (ctx.mode !== "tui" || pi === undefined) return () => {};
	let dialogs = 0;
	let compacting = false;
	const stops = [
		pi.on("ui_prompt_start", () => void dialogs++),
		pi.on("ui_prompt_end", () => void dialogs--),
		pi.on("session_before_compact", () => {
			compacting = true;
		}),
		pi.on("session_compact", () => {
			compacting = false;
		}),
		pi.on("session_compact_failed", () => {
			compacting = false;
		}),
		ctx.ui.onTerminalInput((data) => {
			if (dialogs > 0 || !matchesKey(data, "escape")) return undefined;
			quietly(() => {
				if (compacting || ctx.isIdle()) control.halt("The sequence was stopped with Escape.");
			});
			return undefined;
		}),
	];
	return () => {
		for (const forget of stops) quietly(forget);
	};
}
