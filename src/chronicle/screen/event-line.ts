// One event of a ledger as a line. Pure.
import type { LedgerEvent } from "../machine/index.ts";
import { type Line, plain, type Tone } from "./line.ts";

const quiet = new Set(["seq", "at", "kind", "crc", "fence", "tree", "hash", "definition", "template", "snapshot"]);
const tones: Partial<Record<LedgerEvent["kind"], Tone>> = {
	moved: "success",
	finished: "success",
	parked: "warning",
	launch_failed: "error",
	worker_ended: "dim",
	tool_started: "dim",
	tool_ended: "dim",
	used: "dim",
	approved: "accent",
	rejected: "accent",
	released: "accent",
};

/** `12  09:41:07  tool_started  tool bash · args npm test`. */
export function eventLine(event: LedgerEvent): Line {
	const fields = Object.entries(event)
		.filter(([key, value]) => !quiet.has(key) && value !== undefined)
		.map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`);
	return [
		{ text: `${String(event.seq).padStart(5)}  ${event.at.slice(11, 19)}  `, tone: "dim" },
		{ text: event.kind.padEnd(17), tone: tones[event.kind] ?? "plain" },
		plain(` ${fields.join(" · ")}`),
	];
}
