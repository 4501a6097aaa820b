// The mutants of a file, and a run that separates caught mutants from survivors.
import { describe, expect, it } from "vitest";
import { mutantsOf } from "./mutants.ts";

/** The file after each of its mutants. */
function mutated(code: string): string[] {
	return mutantsOf("a.ts", code).map(({ start, end, text }) => code.slice(0, start) + text + code.slice(end));
}

describe("mutants of a file", () => {
	it.each([
		["a comparison", "x = a < b;", ["x = a <= b;"]],
		["a strict equality", "if (a === b) c();", ["if (a !== b) c();"]],
		["a logical operator", "x = a && b;", ["x = a || b;"]],
		["a condition", "if (ready) go();", ["if (!(ready)) go();"]],
		["a negation", "if (!ready) go();", ["if (ready) go();"]],
		["a conditional expression", "x = a ? b : c;", ["x = !(a) ? b : c;"]],
		["a number", "const most = 64;", ["const most = 65;"]],
		["a boolean", "return_({ block: true });", ["return_({ block: false });"]],
		["a value with a type", "const x = 1 as 2;", ["const x = 2 as 2;"]],
	])("differ in %s", (_kind, code, expected) => {
		expect(mutated(code)).toEqual(expected);
	});

	it("exclude types and strings", () => {
		expect(mutated('type A = 1 | true; interface B { c: 2 } const d: A = "1 < 2";')).toEqual([]);
	});
});
