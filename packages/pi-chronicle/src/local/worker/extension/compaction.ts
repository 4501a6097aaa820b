// A worker's conversation around a compaction: before it, the model is asked once to save what must last; after it, it is briefed again.
// One request per window and one briefing per compaction: the session records both; a worker that is stopping gets neither.
import type { ExtensionAPI, ExtensionContext, TurnEndEvent } from "@earendil-works/pi-coding-agent";
import { markReminder } from "@pi-chronicle/core/machine";
import { askHost, newestFirst } from "../../../pi/index.ts";
import { BRIEF_ENTRY, readHostReply, SAVE_ENTRY, SNAPSHOT_TOOL } from "./protocol.ts";
import type { Turn } from "./turn.ts";

/** Percent of the context window from which on the model is asked to save. pi compacts at about 90 of a large window. */
const saveFrom = 70;

/** Briefs the model again after each compaction, with what is known then. */
export function briefAfterCompactions(pi: ExtensionAPI, turn: Turn): void {
	pi.on("session_compact", async (_event, ctx) => {
		if (turn.over) return;
		const reply = readHostReply(await askHost(ctx, "brief", {}));
		if (reply?.kind !== "brief" || turn.over) return;
		// While pi works, it precedes the next request; otherwise it is stored, and no turn begins.
		pi.sendMessage({ customType: BRIEF_ENTRY, content: reply.text, display: true }, { deliverAs: "steer" });
	});
}

/** The message that asks the model to save what must last, if it is due after this turn. */
export function saveRequest({ entries, outcome, toolResults }: TurnEndEvent, ctx: ExtensionContext) {
	// After a compaction the measured usage no longer applies.
	if (outcome !== "completed" || toolResults.length === 0 || entries.some(({ type }) => type === "compaction")) return;
	const percent = ctx.getContextUsage()?.percent;
	if (percent === undefined || percent === null || percent < saveFrom || wasAsked(ctx)) return;
	const content = markReminder(
		`Your context window is ${Math.round(percent)} % full. Soon a summary replaces the older part of this conversation. Save now with ${SNAPSHOT_TOOL} what must last. After the summary you get your task and all that is saved again.`,
	);
	return { entries: [...entries, { type: "custom_message" as const, customType: SAVE_ENTRY, content, display: true }] };
}

/** Whether the model has been asked since the last compaction. */
function wasAsked({ sessionManager }: ExtensionContext): boolean {
	for (const entry of newestFirst(sessionManager)) {
		if (entry.type === "compaction") return false;
		if (entry.type === "custom_message" && entry.customType === SAVE_ENTRY) return true;
	}
	return false;
}
