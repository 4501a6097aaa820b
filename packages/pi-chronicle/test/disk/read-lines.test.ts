import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readLines } from "../../src/disk/index.ts";
import { runs } from "../harness/runs.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "lines-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(path: string, from?: number) {
	const lines: { text: string; at: number }[] = [];
	let end = from ?? 0;
	for await (const batch of readLines(path, from)) {
		for (const { bytes, at } of batch.lines) lines.push({ text: bytes.toString("latin1"), at });
		end = batch.end;
	}
	return { lines, end };
}

describe("the lines of a file", () => {
	it("are split at LF, with their offsets, at any length; an unfinished line is not one", async () => {
		const path = join(folder, "any");
		// Longer than the reader's chunk, so that lines lie across its edges.
		const line = fc.oneof(
			fc.string({ maxLength: 40 }),
			fc.integer({ min: 65_000, max: 140_000 }).map((length) => "x".repeat(length)),
		);
		const clean = line.map((text) => text.replaceAll("\n", " "));
		await fc.assert(
			fc.asyncProperty(fc.array(clean, { maxLength: 12 }), clean, async (lines, rest) => {
				const bytes = Buffer.from([...lines, rest].join("\n"), "latin1");
				writeFileSync(path, bytes);
				const found = await read(path);
				expect(found.lines.map(({ text }) => text)).toEqual(
					lines.map((text) => Buffer.from(text, "latin1").toString("latin1")),
				);
				expect(found.end).toBe(bytes.length);
				for (const { text, at } of found.lines)
					expect(bytes.subarray(at, at + text.length).toString("latin1")).toBe(text);
			}),
			{ numRuns: runs(0.3) },
		);
	});

	it("start at a given offset, with offsets in the whole file", async () => {
		const path = join(folder, "from");
		writeFileSync(path, "one\ntwo\nthree");
		expect(await read(path, 4)).toEqual({ lines: [{ text: "two", at: 4 }], end: 13 });
		expect(await read(path, 13)).toEqual({ lines: [], end: 13 });
	});

	it("of a missing file are an error", async () => {
		await expect(read(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
	});
});
