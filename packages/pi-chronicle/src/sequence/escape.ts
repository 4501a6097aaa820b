// Handles Escape while a sequence runs and pi has no run to abort.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { matchesKey } from "@earendil-works/pi-tui";
import { attempt } from "../disk/index.ts";
import { type RunControl, sequenceSessions } from "./session.ts";

/**
 * Lets Escape stop the sequence even if pi has no run to abort: between two steps, during a session replacement, while waiting for a
 * chronicle, and during a compaction, after which the step would continue. An open dialog keeps its Escape. Returns the function that stops
 * listening.
 */
export function listenForEscape(ctx: ExtensionContext, control: RunControl): () => void {
	const pi = sequenceSessions.of(ctx.sessionManager)?.pi;
	if (ctx.mode !== "tui" || pi === undefined) return () => {};
	let dialogs = 0;
	let compacting = false;
	const compacted = () => {
		compacting = false;
	};
	const stops = [
		pi.on("ui_prompt_start", () => void dialogs++),
		pi.on("ui_prompt_end", () => void dialogs--),
		pi.on("session_before_compact", () => {
			compacting = true;
		}),
		pi.on("session_compact", compacted),
		pi.on("session_compact_failed", compacted),
		ctx.ui.onTerminalInput((data) => {
			if (dialogs > 0 || !matchesKey(data, "escape")) return undefined;
			attempt(() => {
				if (compacting || ctx.isIdle()) control.halt("The sequence was stopped with Escape.");
			});
			return undefined;
		}),
	];
	return () => {
		for (const forget of stops) attempt(forget);
	};
}
