// One event of a ledger as a line. Pure.

import type { Line, Tone } from "../../../tui/index.ts";
import type { LedgerEvent } from "../../core/index.ts";
import { clockTime } from "../timeline/index.ts";
import { eventText } from "./event-text.ts";

const tones: Partial<Record<LedgerEvent["kind"], Tone>> = {
	moved: "success",
	finished: "success",
	parked: "warning",
	given_up: "warning",
	launch_failed: "error",
	files_unmeasured: "warning",
	files_unrestored: "error",
	worker_ended: "dim",
	tool_started: "dim",
	tool_ended: "dim",
	used: "dim",
	approved: "accent",
	rejected: "accent",
	released: "accent",
	resumed: "accent",
	told: "accent",
};

/** `12  09:41:07  2.1  ▸ bash npm test`: number, time, visit and attempt, what happened. */
export function eventLine(event: LedgerEvent): Line {
	const where = "visit" in event ? `${event.visit}${"attempt" in event ? `.${event.attempt}` : ""}` : "";
	const failed = event.kind === "tool_ended" && (event.error === true || event.blocked !== undefined);
	return [
		{ text: `${String(event.seq).padStart(5)}  ${clockTime(event.at)}  ${where.padEnd(5)} `, tone: "dim" },
		{ text: eventText(event), tone: failed ? "error" : (tones[event.kind] ?? "plain") },
	];
}
