// Reads the events of a log in order, for all readers but the fold of its holder.
// Damaged lines and those of a lost lease are omitted; a reader that follows a run decodes only what is new.
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { readLines, undefinedIfMissing } from "../../disk/index.ts";
import type { LogPosition } from "./checkpoint.ts";
import { decodeLine } from "./line.ts";

/** All whole events of a small log, such as that of a rehearsal. Throws I/O errors. */
export function readLog(path: string): LedgerEvent[] {
	return readFileSync(path, "latin1")
		.split("\n")
		.flatMap((line) => decodeLine(Buffer.from(line, "latin1")) ?? []);
}

const start: LogPosition = { seq: 0, offset: 0, fence: 0 };

/** Reads the events of a log after event `after`. Each call starts where an earlier one stopped, if the log still has that place and `after` is not before it. */
export function openEvents(path: string): (after?: number) => AsyncGenerator<LedgerEvent> {
	let reached = { ...start, file: 0 };
	const placeBefore = async (after: number) => {
		const { ino: file, size } = await stat(path);
		// A repair replaces the file.
		if (file !== reached.file || reached.offset > size) reached = { ...start, file };
		return reached.seq <= after ? reached : { ...start, file };
	};
	return async function* (after = 0) {
		try {
			const from = await placeBefore(after);
			for await (const { event, ...place } of eventsFrom(path, from)) {
				if (event.seq > reached.seq && from.file === reached.file) reached = { ...place, file: from.file };
				if (event.seq > after) yield withoutCrc(event);
			}
		} catch (error) {
			undefinedIfMissing(error);
		}
	};
}

async function* eventsFrom(path: string, from: LogPosition) {
	let { fence } = from;
	for await (const { lines } of readLines(path, from.offset))
		for (const { bytes, at } of lines) {
			const event = decodeLine(bytes);
			if (!event || (event.fence ?? 0) < fence) continue;
			fence = event.fence ?? fence;
			yield { event, seq: event.seq, offset: at + bytes.length + 1, fence };
		}
}

/** The event as it was appended: `crc` belongs to its line. */
export function withoutCrc(event: LedgerEvent): LedgerEvent {
	const { crc: _, ...rest } = event as LedgerEvent & { crc?: string };
	return rest as LedgerEvent;
}
