// Output data of workers against the schema of their state: the message about each mistake, and the bounds.
import { describe, expect, it } from "vitest";
import { checkOutput } from "../../../src/local/supervisor/output-validator.ts";

const schema = {
	type: "object",
	required: ["verdict", "findings"],
	properties: {
		verdict: { enum: ["ok", "bad"] },
		findings: {
			type: "array",
			maxItems: 3,
			items: {
				type: "object",
				required: ["file"],
				properties: { file: { type: "string" }, line: { type: "integer", minimum: 1 } },
			},
		},
	},
	additionalProperties: false,
};

function problemsOf(given: unknown, of: object = schema): readonly string[] {
	const checked = checkOutput(of as never, given);
	return checked.kind === "misfit" ? checked.problems : [];
}

describe("checkOutput", () => {
	it("accepts data that matches, unchanged", () => {
		const data = { verdict: "ok", findings: [{ file: "a", line: 1 }] };
		expect(checkOutput(schema, data)).toEqual({ kind: "fits", data });
	});

	it("reads an object that is sent as its JSON text", () => {
		const data = { verdict: "ok", findings: [] };
		expect(checkOutput(schema, JSON.stringify(data))).toEqual({ kind: "fits", data });
		expect(checkOutput({ type: "string" }, '{"a":1}')).toEqual({ kind: "fits", data: '{"a":1}' });
	});

	it.each<[string, unknown, readonly (string | RegExp)[]]>([
		["no data", undefined, [/missing/]],
		["null", null, [/^data must be object/]],
		["a text", "ok", [/^data must be object/]],
		["a missing field", { verdict: "ok" }, ['data lacks "findings".']],
		["another value", { verdict: "fine", findings: [] }, ['data.verdict must be one of ["ok","bad"].']],
		["one field too many", { verdict: "ok", findings: [], more: 1 }, ["data.more is not allowed."]],
		[
			"mistakes far below, each with its path",
			{ verdict: "ok", findings: [{ file: 1, line: 0 }, {}] },
			[
				/^data\.findings\[0\]\.file must be string/,
				/^data\.findings\[0\]\.line must be >= 1/,
				'data.findings[1] lacks "file".',
			],
		],
		[
			"too many entries",
			{ verdict: "ok", findings: [{ file: "a" }, { file: "b" }, { file: "c" }, { file: "d" }] },
			[/^data\.findings must not have more than 3/],
		],
		["a broken JSON text", '{"verdict": "ok"', [/^data must be object/]],
	])("reports %s", (_, given, expected) => {
		const problems = problemsOf(given);
		expect(problems).toHaveLength(expected.length);
		for (const [index, one] of expected.entries())
			if (typeof one === "string") expect(problems).toContain(one);
			else expect(problems[index]).toMatch(one);
	});

	it("quotes names in a path that are not identifiers", () => {
		expect(problemsOf({ "a/b c": 1 }, { additionalProperties: { type: "string" } })).toEqual([
			expect.stringContaining('data["a/b c"]'),
		]);
	});

	it("reports the first of many mistakes, and that there are more", () => {
		const problems = problemsOf(
			Array.from({ length: 40 }, () => 1),
			{ items: { type: "string" } },
		);
		expect(problems).toHaveLength(9);
		expect(problems.at(-1)).toContain("more");
	});

	it("accepts 64 KB of JSON and rejects one byte more", () => {
		expect(checkOutput({}, "x".repeat(64 * 1024 - 2)).kind).toBe("fits");
		expect(problemsOf("x".repeat(64 * 1024 - 1), {})).toEqual([expect.stringContaining("shorten its texts or lists")]);
		// Bytes, not characters.
		expect(checkOutput({}, "é".repeat(40 * 1024)).kind).toBe("misfit");
	});

	it("rejects data if an expression takes too long", () => {
		const slow = { type: "string", pattern: "^(a+)+$" };
		const checked = checkOutput(slow, `${"a".repeat(60)}b`, 50);
		expect(checked).toMatchObject({ kind: "misfit", problems: [expect.stringContaining("in time")] });
	});

	it("follows references, and does not take inherited fields for data", () => {
		const tree = {
			$ref: "#/$defs/node",
			$defs: { node: { type: "object", properties: { child: { $ref: "#/$defs/node" } }, additionalProperties: false } },
		};
		expect(problemsOf({ child: { child: {} } }, tree)).toEqual([]);
		expect(problemsOf({ child: { child: { x: 1 } } }, tree)).toEqual(["data.child.child.x is not allowed."]);
		expect(problemsOf({}, { required: ["toString"] })).toEqual(['data lacks "toString".']);
	});
});
