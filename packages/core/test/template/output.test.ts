// The field `output` of a state and the references to it: each mistake with its place, and the checks that a ledger's copy skips.
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/definition/index.ts";
import { compileDefinition, readTemplate } from "../../src/template/index.ts";

const result = {
	type: "object",
	required: ["verdict"],
	properties: {
		verdict: { enum: ["ok", "bad"] },
		parts: { type: "array", items: { type: "string" } },
		count: { type: "integer" },
	},
	additionalProperties: false,
};

/** Reads a template with these states; each problem as `severity code at key: message`. */
function problemsOf(states: object): string[] {
	const text = JSON.stringify({ name: "t", states }, null, 1);
	const { diagnostics } = readTemplate(openSource("/t.json", text), "t");
	const lines = text.split("\n");
	return diagnostics.map(({ severity, code, line, message }) => {
		const key = /"([^"]+)"/.exec(lines[(line ?? 1) - 1] ?? "")?.[1];
		return `${severity} ${code} at ${key}: ${message}`;
	});
}

const withOutput = (output: unknown) => ({ review: { persona: "R", next: ["done"], output } });
const one = "items additionalProperties propertyNames contains not if then else unevaluatedItems unevaluatedProperties";
/** Each keyword that holds further schemas, with one of them in it. */
const holders: readonly (readonly [keyword: string, holding: (schema: object) => object])[] = [
	...one.split(" ").map((keyword) => [keyword, (schema: object) => schema] as const),
	...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => [keyword, (schema: object) => [schema]] as const),
	...["properties", "patternProperties", "dependentSchemas", "$defs"].map(
		(keyword) => [keyword, (schema: object) => ({ x: schema })] as const,
	),
];

describe("output", () => {
	it("is compiled as written", () => {
		const { read } = readTemplate(
			openSource("/t.json", JSON.stringify({ name: "t", states: withOutput(result) })),
			"t",
		);
		expect(read?.template.states.get("review")?.output).toEqual(result);
	});

	it.each<[string, unknown]>([
		[
			"every keyword of groups",
			{
				properties: { a: true },
				patternProperties: { "^x": { type: "null" } },
				propertyNames: { minLength: 1 },
				minProperties: 0,
				maxProperties: 3,
				dependentRequired: { a: ["b"] },
			},
		],
		[
			"every keyword of lists",
			{
				prefixItems: [{}],
				items: false,
				contains: {},
				minContains: 0,
				maxContains: 1,
				minItems: 0,
				maxItems: 2,
				uniqueItems: true,
			},
		],
		[
			"every keyword of texts and numbers",
			{
				minLength: 0,
				maxLength: 1,
				pattern: "^a",
				format: "date",
				minimum: 0,
				maximum: 1.5,
				exclusiveMinimum: -1,
				exclusiveMaximum: 2,
				multipleOf: 0.5,
			},
		],
		[
			"alternatives and conditions",
			// biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
			{ anyOf: [{}], oneOf: [{}], allOf: [{}], not: { const: null }, if: {}, then: {}, else: {} },
		],
		["references", { $ref: "#/$defs/a", $defs: { a: { items: { $ref: "#" } }, b: { $ref: "#/$defs/a/items" } } }],
		[
			"annotations",
			{ $schema: "x", $comment: "x", title: "x", description: "x", default: null, examples: [1], deprecated: true },
		],
		[
			"a field named like a keyword",
			{ properties: { $ref: { type: "string" }, properties: { type: "string" } }, required: ["$ref"] },
		],
		["a list of types", { type: ["string", "null"] }],
		["a list with one type", { type: ["string"] }],
	])("loads with %s", (_, output) => {
		expect(problemsOf(withOutput(output))).toEqual([]);
	});

	it.each<[string, unknown, RegExp]>([
		["a string", "verdict", /^error wrong-type at output/],
		["a list", [result], /^error wrong-type at output/],
		["a misspelled keyword", { propertys: {} }, /^error bad-schema at propertys: .*Did you mean `properties`/],
		[
			"a field outside of properties",
			{ verdict: { type: "string" } },
			/^error bad-schema at verdict: .*not a JSON Schema keyword/,
		],
		[
			"a misspelled keyword far below",
			{ properties: { a: { items: { tpye: "string" } } } },
			/^error bad-schema at tpye: .*properties\.a\.items.*`type`/,
		],
		["another type", { type: "strng" }, /^error bad-schema at type: .*Did you mean `string`/],
		["a number as type", { type: 5 }, /^error bad-schema at type/],
		["an empty list of types", { type: [] }, /^error bad-schema at type/],
		["one wrong type of several", { type: ["string", "nul"] }, /^error bad-schema at \S+: .*`null`/],
		["another format", { format: "dat" }, /^error bad-schema at format: .*`date`/],
		["an invalid pattern", { pattern: "(" }, /^error bad-schema at pattern: .*regular expression/],
		["an invalid pattern of names", { patternProperties: { "(": {} } }, /^error bad-schema at \(: /],
		["a negative length", { minLength: -1 }, /^error wrong-type at minLength/],
		["a length in quotes", { maxLength: "3" }, /^error wrong-type at maxLength/],
		["a fraction as count", { maxItems: 1.5 }, /^error wrong-type at maxItems/],
		["a string as minimum", { minimum: "1" }, /^error wrong-type at minimum/],
		["a multiple of 0", { multipleOf: 0 }, /^error wrong-type at multipleOf/],
		["an empty enum", { enum: [] }, /^error wrong-type at enum/],
		["a string as uniqueItems", { uniqueItems: "yes" }, /^error wrong-type at uniqueItems/],
		["a list as properties", { properties: [] }, /^error wrong-type at properties/],
		["a string as a field's schema", { properties: { a: "string" } }, /^error wrong-type at a: /],
		["an empty anyOf", { anyOf: [] }, /^error wrong-type at anyOf/],
		["a string as required", { required: "a" }, /^error wrong-type at required/],
		["a number in required", { required: [1] }, /^error wrong-type .*required/],
		[
			"a misspelled required field",
			{ properties: { verdict: {} }, required: ["verdit"] },
			/^warning bad-schema at \S+: .*Did you mean `verdict`/,
		],
		[
			"a required field that cannot be",
			{ properties: { a: {} }, required: ["b"], additionalProperties: false },
			/^error bad-schema/,
		],
		["a reference to nothing", { $ref: "#/$defs/b", $defs: { a: {} } }, /^error bad-schema at \$ref: .*#\/\$defs\/a/],
		["a reference to a file", { $ref: "other.json" }, /^error bad-schema at \$ref/],
		["a number as reference", { $ref: 5 }, /^error wrong-type at \$ref/],
		["a value that is not a list of names", { dependentRequired: { a: "b" } }, /^error wrong-type at a: /],
		["too long a schema", { description: "x".repeat(20_000) }, /^error bad-schema at output: .*longer/],
		["nothing", null, /^error \S+ at output/],
	])("is refused with %s", (_, output, expected) => {
		const problems = problemsOf(withOutput(output));
		expect(
			problems.find((problem) => expected.test(problem)),
			problems.join("\n"),
		).toBeDefined();
	});

	it.each(holders)("has at most 20 levels, counted in %s too", (keyword, holding) => {
		const levels = (count: number): object => (count === 0 ? {} : { [keyword]: holding(levels(count - 1)) });
		expect(problemsOf(withOutput(levels(20)))).toEqual([]);
		expect(problemsOf(withOutput(levels(21)))).toEqual([
			expect.stringMatching(/^error bad-schema .*nested too deeply/),
		]);
	});

	it("has no effect in a state without a worker", () => {
		expect(problemsOf({ a: { persona: "A", next: ["end"] }, end: { output: result } })).toEqual([
			expect.stringMatching(/^warning no-effect at output/),
		]);
		expect(problemsOf({ a: { run: "x", next: ["done"], output: result } })).toEqual([
			expect.stringMatching(/^warning no-effect at output/),
		]);
	});

	it("is read from a ledger unchecked, so that what an earlier version accepted stays readable", () => {
		const read = compileDefinition({ name: "t", states: withOutput({ type: "strng" }) }, "t");
		expect(read?.states.get("review")?.output).toEqual({ type: "strng" });
		const odd = { a: { persona: "A", instructions: "{output.a.x}", next: ["done"] } };
		expect(compileDefinition({ name: "t", states: odd }, "t")).toBeDefined();
	});
});

describe("references to data", () => {
	const states = (later: object, more: object = {}) => ({
		review: { persona: "R", next: ["later"], output: result, ...more },
		later: { persona: "L", next: ["done"], ...later },
	});

	it.each<[string, object]>([
		["a field", { instructions: "It is {output.review.verdict}." }],
		["all data", { description: "{output.review}" }],
		["an entry of a list", { instructions: "{output.review.parts.0}" }],
		["its own data of an earlier visit", { output: result, instructions: "{output.later.verdict}" }],
		["other braces", { instructions: "{ output } {outputs.x} {} {item}" }],
	])("may name %s", (_, later) => {
		expect(problemsOf(states(later))).toEqual([]);
	});

	it.each<[string, object]>([
		["a list", { for_each: "output.review.parts" }],
		["a field in its task", { task: "Do {output.review.verdict}" }],
	])("may name %s in a state with children", (_, later) => {
		expect(problemsOf(states({ persona: undefined, run: "x", ...later }))).toEqual([]);
	});

	it.each<[string, object, RegExp]>([
		[
			"a misspelled state",
			{ instructions: "{output.reviw.verdict}" },
			/^error bad-reference at instructions: .*`review`/,
		],
		["no state", { instructions: "{output.else.x}" }, /^error bad-reference at instructions/],
		[
			"a state without data",
			{ instructions: "{output.later.x}" },
			/^error bad-reference at instructions: .*no `output`/,
		],
		[
			"a misspelled field",
			{ instructions: "{output.review.verdit}" },
			/^error bad-reference at instructions: .*`verdict`/,
		],
		["a field in the description", { description: "{output.review.x}" }, /^error bad-reference at description/],
	])("may not name %s", (_, later, expected) => {
		expect(problemsOf(states(later))).toEqual([expect.stringMatching(expected)]);
	});

	it.each<[string, object, RegExp]>([
		["a number", { for_each: "output.review.count" }, /^error bad-reference at for_each: .*not a list.*integer/],
		["a misspelled field", { for_each: "output.review.part" }, /^error bad-reference at for_each: .*`parts`/],
		["no state", { for_each: "output.nobody.parts" }, /^error bad-reference at for_each/],
		["a misspelled field in its task", { task: "{output.review.verdit}" }, /^error bad-reference at task: .*`verdict`/],
	])("for_each may not name %s", (_, later, expected) => {
		expect(problemsOf(states({ persona: undefined, run: "x", ...later }))).toEqual([expect.stringMatching(expected)]);
	});

	it("are only warned about if the schema allows other fields", () => {
		const open = { ...result, additionalProperties: true };
		const problems = problemsOf(states({ instructions: "{output.review.more}" }, { output: open }));
		expect(problems).toEqual([expect.stringMatching(/^warning bad-reference/)]);
		const referred = { $ref: "#/$defs/a", properties: {}, $defs: { a: { type: "object" } } };
		expect(problemsOf(states({ instructions: "{output.review.more}" }, { output: referred }))).toEqual([]);
	});

	it("of a state with branches begin with a branch", () => {
		const both = (instructions: string) => ({
			build: { branches: { api: { run: "x", task: "t" }, ui: { run: "x", task: "t" } }, next: ["later"] },
			later: { persona: "L", next: ["done"], instructions },
		});
		expect(problemsOf(both("{output.build.api.verdict}"))).toEqual([]);
		expect(problemsOf(both("{output.build.apy.verdict}"))).toEqual([
			expect.stringMatching(/^error bad-reference at instructions: .*`api`/),
		]);
	});

	it("are only warned about in a template without output", () => {
		const problems = problemsOf({ a: { persona: "A", next: ["done"], instructions: "Print {output.file}." } });
		expect(problems).toEqual([expect.stringMatching(/^warning bad-reference/)]);
	});

	it("are not filled into commands, which is reported", () => {
		const problems = problemsOf(
			states({ cleanup: ["echo {output.review.verdict}", { command: "echo {output.review}" }] }),
		);
		expect(problems).toHaveLength(2);
		for (const problem of problems) expect(problem).toMatch(/^warning no-effect .*approved/);
	});
});

describe("take: one", () => {
	const chosen = (judge: object, build: object = {}) => ({
		build: {
			branches: { a: { run: "x", task: "t" }, b: { run: "x", task: "t" } },
			take: "one",
			next: ["judge"],
			...build,
		},
		judge: { persona: "J", next: ["done"], ...judge },
	});
	const closed = { type: "object", properties: { why: { type: "string" } }, additionalProperties: false };

	it.each<[string, object]>([
		["without output", {}],
		["with other data", { output: { type: "object", properties: { why: {} } } }],
		["with closed data that has a winner", { output: { ...closed, properties: { winner: { type: "string" } } } }],
		["that names the winner in its text", { instructions: "{output.judge.winner}" }],
	])("loads with a next state %s", (_, judge) => {
		expect(problemsOf(chosen(judge))).toEqual([]);
	});

	it.each<[string, object, RegExp]>([
		["no next state", chosen({}, { next: [] }), /^error no-choice at take: .*no state follows/],
		["a next state without a worker", chosen({}, { next: ["done"] }), /^error no-choice at take: .*`?done/],
		["children in the next state", chosen({ persona: undefined, run: "x" }), /^error no-choice at take: .*judge/],
		["data that allows no winner", chosen({ output: closed }), /^error no-choice at take: .*`winner`/],
		["one child", chosen({}, { branches: { a: { run: "x", task: "t" } } }), /^warning no-effect at take/],
		["join any", chosen({}, { join: "any" }), /^warning no-effect at take/],
		["another value", chosen({}, { take: "two" }), /^error \S+ at take/],
		["no children", { judge: { persona: "J", take: "one", next: ["done"] } }, /^error no-children at take/],
	])("is reported with %s", (_, states, expected) => {
		const problems = problemsOf(states);
		expect(
			problems.find((problem) => expected.test(problem)),
			problems.join("\n"),
		).toBeDefined();
	});
});
