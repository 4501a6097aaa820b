// One event of a ledger as a line. Pure.
import type { Line, Tone } from "../../../tui/index.ts";
import type { LedgerEvent } from "../../core/index.ts";
import { clockTime, eventText, eventTone } from "../phrases/index.ts";

const tones: Readonly<Record<ReturnType<typeof eventTone>, Tone>> = {
	plain: "plain",
	good: "success",
	dim: "dim",
	user: "accent",
	note: "plain",
	warn: "warning",
	bad: "error",
};

/** `12  09:41:07  2.1  ▸ bash npm test`: number, time, visit and attempt, what happened. */
export function eventLine(event: LedgerEvent): Line {
	const where = "visit" in event ? `${event.visit}${"attempt" in event ? `.${event.attempt}` : ""}` : "";
	const isFailed = event.kind === "tool_ended" && (event.error === true || event.blocked !== undefined);
	return [
		{ text: `${String(event.seq).padStart(5)}  ${clockTime(event.at)}  ${where.padEnd(5)} `, tone: "dim" },
		{ text: eventText(event), tone: isFailed ? "error" : tones[eventTone(event)] },
	];
}
