// Wrapping of the command line's output on a narrow terminal.
import fc from "fast-check";
import { expect, it } from "vitest";
import { wrapHanging } from "../../../src/ui/cli/output.ts";

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
