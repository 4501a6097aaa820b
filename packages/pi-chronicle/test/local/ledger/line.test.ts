// One event as one line: what is written is read back, and a damaged line is never an event.
import { crc32 } from "node:zlib";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeLine, encodeLine, stampEvent } from "../../../src/local/ledger/line.ts";
import { runs } from "../../harness/runs.ts";

const event = (text: string): LedgerEvent => stampEvent({ kind: "noted", text }, { seq: 7, at: "2030", fence: 2 });
const lineOf = (one: LedgerEvent): Buffer => Buffer.from(encodeLine(one).slice(0, -1));
/** A line with this text and a right checksum. */
const checked = (open: string): Buffer => Buffer.from(`${open},"crc":"${crc32(open).toString(16).padStart(8, "0")}"}`);

describe("a line", () => {
	it("has `seq` first, the checksum last, and ends with LF", () => {
		expect(encodeLine(event("ä\n"))).toMatch(
			/^\{"seq":7,"at":"2030","kind":"noted","text":"ä\\n","fence":2,"crc":"[0-9a-f]{8}"\}\n$/,
		);
	});

	it("is read as the event that was written, whatever its text", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (text) => {
				const read = decodeLine(lineOf(event(text)));
				expect(read).toMatchObject(JSON.parse(JSON.stringify(event(text))));
			}),
			{ numRuns: runs() },
		);
	});

	it("is damaged with any byte changed, missing or added", () => {
		const line = lineOf(event("ä"));
		for (let at = 0; at < line.length; at += 1) {
			for (const bit of [1, 32, 128]) {
				const changed = Buffer.from(line);
				changed[at] = (changed[at] ?? 0) ^ bit;
				expect(decodeLine(changed), `${at} ^ ${bit}`).toBeUndefined();
			}
			const without = Buffer.concat([line.subarray(0, at), line.subarray(at + 1)]);
			const twice = Buffer.concat([line.subarray(0, at), line.subarray(at, at + 1), line.subarray(at)]);
			expect([decodeLine(without), decodeLine(twice)]).toEqual([undefined, undefined]);
		}
	});

	it.each([
		["nothing", ""],
		["less than a checksum", '"}'],
		["a checksum alone", ',"crc":"00000000"}'],
		[
			"a checksum in capitals",
			lineOf(event("x"))
				.toString()
				.replace(/[0-9a-f]{8}(?="\}$)/, (crc) => crc.toUpperCase().padEnd(8, "A")),
		],
	])("is no event with %s", (_what, text) => {
		expect(decodeLine(Buffer.from(text))).toBeUndefined();
	});

	const fields = { seq: 1, at: "2030", kind: "noted" };
	it.each<[what: string, fields: object]>([
		["a sequence number that is a string", { ...fields, seq: "1" }],
		["no sequence number", { ...fields, seq: undefined }],
		["no time", { ...fields, at: undefined }],
		["a time that is a number", { ...fields, at: 2030 }],
		["no kind", { ...fields, kind: undefined }],
		["a kind that is a list", { ...fields, kind: [] }],
	])("with a correct checksum is no event with %s", (_what, given) => {
		expect(decodeLine(checked(JSON.stringify(fields).slice(0, -1)))).toMatchObject(fields);
		expect(decodeLine(checked(JSON.stringify(given).slice(0, -1)))).toBeUndefined();
	});

	it("with a correct checksum that is not JSON is no event", () => {
		expect(decodeLine(checked('{"seq":1,"at":"2030","kind":"noted",'))).toBeUndefined();
	});
});
