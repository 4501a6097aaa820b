// Reading the events of a log again and again, to follow a run: what was read is not read again, and nothing is missed.
import files, { appendFileSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { encodeLine, stampEvent } from "../../../src/local/ledger/line.ts";
import { openEvents } from "../../../src/local/ledger/read-events.ts";
import { openFolder } from "../../harness/folder.ts";

const { open } = files.promises;
afterEach(() => {
	files.promises.open = open;
	syncBuiltinESMExports();
});

const lineOf = (seq: number, fence = 1) =>
	encodeLine(stampEvent({ kind: "noted", text: `event ${seq}` }, { seq, at: "2030-01-01T00:00:00.000Z", fence }));

async function seqsOf(events: AsyncIterable<LedgerEvent>): Promise<number[]> {
	const seqs: number[] = [];
	for await (const { seq } of events) seqs.push(seq);
	return seqs;
}

it("a follower gets each event once, in order, whatever happens to the file between its looks", async () => {
	const change = fc.oneof(
		fc.record({ kind: fc.constant("append" as const), count: fc.integer({ min: 0, max: 4 }) }),
		fc.record({ kind: fc.constantFrom("tear", "replace", "stale line") }),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
			const path = join(openFolder(), "log");
			const follow = openEvents(path);
			const told: number[] = [];
			let seq = 0;
			let text = "";
			const look = async () => told.push(...(await seqsOf(follow(told.at(-1) ?? 0))));
			await look();
			for (const each of changes) {
				if (each.kind === "tear") {
					// An append under way, cut off again by its writer.
					writeFileSync(path, `${text}${lineOf(seq + 1).slice(0, -9)}`);
					await look();
					truncateSync(path, Buffer.byteLength(text));
				} else if (each.kind === "append") {
					const added = Array.from({ length: each.count }, (_, n) => lineOf(seq + n + 1, 2)).join("");
					seq += each.count;
					text += added;
					appendFileSync(path, added);
				} else {
					// A line of a process that had lost the run counts only if nothing newer is before it.
					if (each.kind === "stale line" && seq > 0) text += lineOf(seq + 1, 1);
					writeFileSync(`${path}.next`, text);
					renameSync(`${path}.next`, path);
				}
				await look();
			}
			expect(told).toEqual(Array.from({ length: seq }, (_, n) => n + 1));
			expect(await seqsOf(openEvents(path)())).toEqual(told);
			expect(await seqsOf(follow())).toEqual(told);
		}),
	);
});

it("following a long log to its end reads it about once", async () => {
	const path = join(openFolder(), "log");
	writeFileSync(path, Array.from({ length: 5000 }, (_, n) => lineOf(n + 1)).join(""));
	let bytes = 0;
	files.promises.open = async (...args: Parameters<typeof open>) => {
		const file = await open(...args);
		const read = file.read.bind(file) as (...all: unknown[]) => Promise<{ bytesRead: number }>;
		file.read = (async (...all: unknown[]) => {
			const done = await read(...all);
			bytes += done.bytesRead;
			return done;
		}) as typeof file.read;
		return file;
	};
	syncBuiltinESMExports();
	const follow = openEvents(path);
	let last = (await seqsOf(follow())).at(-1) ?? 0;
	for (let n = 0; n < 100; n += 1) {
		appendFileSync(path, lineOf(last + 1));
		last = (await seqsOf(follow(last))).at(-1) ?? 0;
	}
	expect(last).toBe(5100);
	expect(bytes).toBeLessThan(1.1 * statSync(path).size);
});
