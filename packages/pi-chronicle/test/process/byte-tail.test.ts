// The end of a process's output: whole characters, however the chunks are cut, and never more than its bound.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteTail } from "../../src/process/index.ts";

/** Adds the bytes of a text in chunks of these sizes, again and again. */
function tailOf(text: string, sizes: readonly number[], max: number): string {
	const bytes = Buffer.from(text);
	const tail = new ByteTail(max);
	for (let at = 0, n = 0; at < bytes.length; n += 1) {
		const size = sizes[n % sizes.length] ?? 1;
		tail.add(bytes.subarray(at, at + size));
		at += size;
	}
	return tail.text();
}

const text = fc.string({ unit: "grapheme", maxLength: 60 });
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

describe("the tail of an output", () => {
	it("is the text, however it was cut into chunks", () => {
		fc.assert(
			fc.property(text, sizes, (whole, cut) => {
				expect(tailOf(whole, cut, 10_000)).toBe(whole);
			}),
		);
		expect(tailOf("Grüße 😀", [1], 100)).toBe("Grüße 😀");
	});

	it("is the end of a longer one, without half a character", () => {
		fc.assert(
			fc.property(text, sizes, fc.integer({ min: 4, max: 40 }), (whole, cut, max) => {
				const tail = tailOf(whole, cut, max);
				expect(whole.endsWith(tail)).toBe(true);
				const kept = Buffer.byteLength(tail);
				expect(kept).toBeLessThanOrEqual(max);
				expect(kept).toBeGreaterThan(Math.min(max, Buffer.byteLength(whole)) - 4);
			}),
		);
	});
});
