// One event as one line of the event log: JSON with `seq` first and `crc` last.
// `crc` is the CRC-32 (as in zlib), in eight hex digits, of the line's bytes before `,"crc":"…"}`; a line is UTF-8, has no line
// break inside and ends with LF; a line with a wrong checksum is never read as an event.
import { crc32 } from "node:zlib";
import type { EventBody, LedgerEvent } from "@pi-chronicle/core/machine";

/** Bytes of `,"crc":"12345678"}`. */
const tailBytes = 18;
const tailStart = ',"crc":"';

export interface EventStamp {
	readonly seq: number;
	readonly at: string;
	readonly fence: number;
}

/** The event for `body` in the ledger. */
export function stampEvent(body: EventBody, { seq, at, fence }: EventStamp): LedgerEvent {
	const { kind, ...rest } = body;
	return { seq, at, kind, ...rest, fence } as LedgerEvent;
}

/** The line of an event, with its LF. */
export function encodeLine(event: LedgerEvent): string {
	const open = JSON.stringify(event).slice(0, -1);
	return `${open}${tailStart}${crc32(open).toString(16).padStart(8, "0")}"}\n`;
}

/** The event of a line (without its LF); `undefined` if the line is damaged. */
export function decodeLine(line: Buffer): LedgerEvent | undefined {
	const end = line.length - tailBytes;
	if (end < 2 || line.indexOf(tailStart, end, "latin1") !== end) return undefined;
	if (crc32(line.subarray(0, end)) !== writtenCrc(line)) return undefined;
	try {
		const event = JSON.parse(line.toString("utf8")) as Record<string, unknown>;
		return typeof event.seq === "number" && typeof event.at === "string" && typeof event.kind === "string"
			? (event as unknown as LedgerEvent)
			: undefined;
	} catch {
		return undefined;
	}
}

/** The checksum in the last ten bytes, `12345678"}`; -1 if they are anything else. */
function writtenCrc(line: Buffer): number {
	const end = line.length - 2;
	if (line[end] !== 0x22 || line[end + 1] !== 0x7d) return -1;
	let crc = 0;
	for (let at = end - 8; at < end; at += 1) {
		const byte = line[at] ?? 0;
		const digit = byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
		if (digit < 0) return -1;
		crc = crc * 16 + digit;
	}
	return crc;
}
