// One event of a ledger as a line. Pure.

import { type Line, plain, type Tone } from "../../../tui/index.ts";
import type { LedgerEvent, Spend } from "../../core/index.ts";
import { shortCost, shortCount, shortTime } from "../timeline/index.ts";
import { callWords } from "./call-words.ts";
import { clockTime } from "./moment.ts";

const quiet = new Set([
	...["seq", "at", "kind", "crc", "fence", "visit", "attempt", "launch"],
	...["tree", "hash", "definition", "template", "snapshot", "schemaVersion", "call", "diff"],
]);
const tones: Partial<Record<LedgerEvent["kind"], Tone>> = {
	moved: "success",
	finished: "success",
	parked: "warning",
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

/** `12  09:41:07  2.1  tool_started  bash npm test`: number, time, visit and attempt, what happened. */
export function eventLine(event: LedgerEvent): Line {
	const where = "visit" in event ? `${event.visit}${"attempt" in event ? `.${event.attempt}` : ""}` : "";
	const failed = event.kind === "tool_ended" && (event.error === true || event.blocked !== undefined);
	return [
		{ text: `${String(event.seq).padStart(5)}  ${clockTime(event.at)}  ${where.padEnd(5)} `, tone: "dim" },
		{ text: event.kind.padEnd(16), tone: failed ? "error" : (tones[event.kind] ?? "plain") },
		plain(` ${wordsOf(event)}`),
	];
}

function wordsOf(event: LedgerEvent): string {
	switch (event.kind) {
		case "tool_started":
			return callWords(event.tool, event.args).join(" ");
		case "tool_ended": {
			const end = event.blocked !== undefined ? `blocked by ${event.blocked}` : event.error === true ? "failed" : "ok";
			return `${event.tool}: ${end}, ${event.ms} ms, ${event.bytes} bytes`;
		}
		case "used":
			return spendWords(event.spend);
		case "moved":
			return `${event.from} → ${event.to}${event.cause === "worker" ? "" : ` (${event.cause.replaceAll("_", " ")})`}`;
		default:
			return fieldWords(event);
	}
}

function spendWords({ tokens, costUsd, input, output, cacheRead, cacheWrite }: Spend): string {
	return `${shortCount(tokens)} tokens, ${shortCost(costUsd)} (${input} in, ${output} out, ${cacheRead} + ${cacheWrite} cache)`;
}

function fieldWords(event: LedgerEvent): string {
	return Object.entries(event)
		.filter(([key, value]) => !quiet.has(key) && value !== undefined)
		.map(([key, value]) => `${key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${valueWords(key, value)}`)
		.join(" · ");
}

function valueWords(key: string, value: unknown): string {
	if (typeof value === "number" && /Ms$/.test(key)) return shortTime(value);
	if (Array.isArray(value)) return value.length === 0 ? "none" : value.map((item) => valueWords("", item)).join("; ");
	if (typeof value !== "object" || value === null) return String(value);
	return Object.entries(value)
		.map(([name, inner]) => `${name} ${valueWords(name, inner)}`)
		.join(", ");
}
