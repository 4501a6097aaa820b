// Wrapping of the command line's output on a narrow terminal.
import fc from "fast-check";
import { expect, it } from "vitest";
import { fitText, wrapHanging } from "../../../src/pi/index.ts";

it.each([
	["short", 20, ["short"]],
	["one two three four", 9, ["one two", "three", "four"]],
	["  key    what it is about", 18, ["  key    what it", "         is about"]],
	["   a summary of several words", 14, ["   a summary", "   of several", "   words"]],
	["averyverylongword next", 8, ["averyverylongword", "next"]],
	["統計 統計 統計", 9, ["統計 統計", "統計"]],
])("breaks %j at %i columns", (line, columns, rows) => {
	expect(wrapHanging(line, columns)).toEqual(rows);
});

it("neither loses nor breaks a word", () => {
	const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "統"), minLength: 1, maxLength: 12 }), {
		minLength: 1,
	});
	fc.assert(
		fc.property(words, fc.nat(6), fc.integer({ min: 4, max: 40 }), (list, indent, columns) => {
			const rows = wrapHanging(" ".repeat(indent) + list.join(" "), columns);
			expect(rows.flatMap((row) => row.trim().split(/ +/))).toEqual(list);
		}),
	);
});

it("leaves text as it is for a pipe, and takes 80 columns where a terminal does not know its width", () => {
	const line = `${"word ".repeat(40)}end`;
	expect(fitText(line, { isTTY: false, columns: 20 })).toBe(line);
	const rows = (columns: number) => fitText(line, { isTTY: true, columns }).split("\n");
	expect(rows(0)).toEqual(rows(80));
	expect(Math.max(...rows(0).map((row) => row.length))).toBeLessThanOrEqual(80);
});
