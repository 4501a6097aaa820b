// The watchdog: a status line with the context usage, and one message to the model per band and compaction. Off unless the notebook or the
// setting is on. It keeps nothing in memory: the session records which bands were reported.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { chronicleSettings, newestFirst, percent } from "../../pi/index.ts";
import { type Band, bandOf } from "./bands.ts";

const statusKey = "chronicle-context";
const nudgeType = "watchdog:nudge";

/** What the watchdog needs from the session's notebook. */
export interface NotebookSwitch {
	readonly on: boolean;
	onSwitch(listener: (ctx: ExtensionContext) => void): void;
}

/** Registers the watchdog. */
export function registerWatchdog(pi: ExtensionAPI, notebook: NotebookSwitch): void {
	let shown = false;
	const wanted = () => chronicleSettings(pi).watchdog ?? notebook.on;

	const show = (ctx: ExtensionContext): void => {
		const full = wanted() === true ? ctx.getContextUsage()?.percent : undefined;
		if (full === undefined || full === null) {
			if (shown) ctx.ui.setStatus(statusKey, undefined);
			shown = false;
			return;
		}
		shown = true;
		const text = `ctx ${percent(full / 100)}`;
		const band = bandOf(full);
		ctx.ui.setStatus(statusKey, ctx.mode === "tui" && band ? ctx.ui.theme.fg(band.tone, text) : text);
	};

	pi.on("session_start", (_event, ctx) => show(ctx));
	pi.on("session_compact", (_event, ctx) => show(ctx));
	pi.on("session_tree", (_event, ctx) => show(ctx));
	notebook.onSwitch(show);
	pi.on("turn_end", async ({ entries, outcome, toolResults }, ctx) => {
		show(ctx);
		if (wanted() !== true) return;
		// After a compaction the measured usage no longer applies.
		if (entries.some(({ type }) => type === "compaction")) return;
		const usage = ctx.getContextUsage();
		if (outcome !== "completed" || toolResults.length === 0 || usage?.percent == null || usage.tokens == null) return;
		const band = bandOf(usage.percent);
		if (band === undefined || wasNudged(ctx, band)) return;
		const { nudgeText } = await import("./nudge.ts");
		const content = nudgeText(band, usage.percent, usage.tokens, usage.contextWindow);
		const nudge = { type: "custom_message" as const, customType: nudgeType, content, display: false };
		return { entries: [...entries, { ...nudge, details: { from: band.from } }] };
	});
}

/** Whether the model got the message of this band, or of a higher one, since the last compaction. */
function wasNudged(ctx: ExtensionContext, band: Band): boolean {
	for (const entry of newestFirst(ctx.sessionManager)) {
		if (entry.type === "compaction") return false;
		if (entry.type !== "custom_message" || entry.customType !== nudgeType) continue;
		const from = (entry.details as { from?: unknown } | undefined)?.from;
		return typeof from === "number" && from >= band.from;
	}
	return false;
}
