import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitRecords } from "../../src/process/line-records.ts";

function split(chunks: Buffer[], wants: (head: Buffer) => boolean = () => true, cap?: number) {
	const records: string[] = [];
	const lost: { head: string; bytes: number }[] = [];
	const splitter = splitRecords(
		{ wants, record: (text) => records.push(text), oversized: (head, bytes) => lost.push({ head, bytes }) },
		cap,
	);
	for (const chunk of chunks) splitter.push(chunk);
	splitter.end();
	return { records, lost };
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
	const edges = [0, ...at.map((edge) => edge % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
	return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

describe("records", () => {
	it("do not depend on how the stream is chunked, with other line separators and split characters", () => {
		const lines = fc.array(
			fc.string({ unit: "grapheme", maxLength: 200 }).map((text) => JSON.stringify(`\u2028\u2029\u0085${text}`)),
		);
		fc.assert(
			fc.property(lines, fc.array(fc.nat(), { maxLength: 12 }), (records, at) => {
				const bytes = Buffer.from(records.map((record) => `${record}\n`).join(""));
				expect(split(cut(bytes, at)).records).toEqual(records);
			}),
		);
	});

	it("lose one CR before the LF; a last record needs no LF", () => {
		expect(split([Buffer.from('{"a":1}\r\n{"b":2}')]).records).toEqual(['{"a":1}', '{"b":2}']);
	});

	it("are dropped by their first bytes only, however the stream is chunked", () => {
		const long = `{"type":"message_update","delta":"${"x".repeat(2000)}"}`;
		const bytes = Buffer.from(`${long}\n{"type":"kept"}\n`);
		for (const size of [1, 7, 511, 512, 513, 3000]) {
			const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
				bytes.subarray(n * size, (n + 1) * size),
			);
			const heads: number[] = [];
			const { records } = split(chunks, (head) => {
				heads.push(head.length);
				return !head.toString().startsWith('{"type":"message_update"');
			});
			expect(records).toEqual(['{"type":"kept"}']);
			expect(heads).toEqual([512, 15]);
		}
	});

	it("above the cap are reported with their size and skipped, and the next one is read", () => {
		const { records, lost } = split([Buffer.from(`${"y".repeat(3000)}\nnext\n`)], () => true, 1000);
		expect(records).toEqual(["next"]);
		expect(lost).toEqual([{ head: "y".repeat(512), bytes: 3000 }]);
	});
});
