// Splitting and substitution agree with pi on any text: pi's own functions are the reference.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	parseCommandArgs,
	substituteArgs,
} from "../../../../node_modules/@earendil-works/pi-coding-agent/dist/core/prompt-templates.js";
import { hasPlaceholder, splitArguments, substituteArguments } from "../../src/sequence/arguments.ts";

const text = fc
	.array(fc.constantFrom("a", "b c", " ", "\n", "\t", '"', "'", "\\", '\\"', "é", "$1", "=", '""', "''"), {
		maxLength: 14,
	})
	.map((parts) => parts.join(""));
const template = fc
	.array(
		fc.constantFrom(
			"$1",
			"$2",
			"$@",
			"$ARGUMENTS",
			"${1:-d e}",
			"${@:-x}",
			"${@:2}",
			"${@:1:2}",
			"${@:0}",
			"$",
			"{",
			"}",
			"$10",
			"text ",
			"$$1",
			"${2:-}",
		),
		{ maxLength: 10 },
	)
	.map((parts) => parts.join(""));

describe("arguments", () => {
	it("are split as in pi, for any text", () => {
		fc.assert(
			fc.property(text, (line) => {
				expect(splitArguments(line)).toEqual(parseCommandArgs(line));
			}),
		);
	});

	it("are substituted as in pi, for any template", () => {
		fc.assert(
			fc.property(
				template,
				fc.array(fc.constantFrom("", "one", "$@", "two words"), { maxLength: 4 }),
				(content, args) => {
					expect(substituteArguments(content, args)).toBe(substituteArgs(content, args));
				},
			),
		);
	});

	it.each([
		["Plan $@", true],
		["${2:-all}", true],
		["costs $5", true],
		["costs $ 5", false],
		["$HOME", false],
	])("have a placeholder in %j: %s", (line, expected) => {
		expect(hasPlaceholder(line)).toBe(expected);
	});
});
