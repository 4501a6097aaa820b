// Sample data of the understudy: for any schema of simple keywords, data that the supervisor accepts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkOutput } from "../../../src/local/supervisor/output-validator.ts";
import { sampleData } from "../../../src/tools/rehearsal/sample-data.ts";
import { runs } from "../../harness/runs.ts";

type Schema = Record<string, unknown>;

const misfits = (schema: Schema): unknown => {
	const checked = checkOutput(schema, sampleData(schema, "review"));
	return checked.kind === "fits" ? [] : checked.problems;
};

const bounds = (key: string, most: number) =>
	fc.tuple(fc.nat(most), fc.nat(most)).map(([low, more]) => ({ [`min${key}`]: low, [`max${key}`]: low + more }));

const schemas: fc.Memo<Schema> = fc.memo((depth): fc.Arbitrary<Schema> => {
	const leaves: fc.Arbitrary<Schema>[] = [
		fc.uniqueArray(fc.jsonValue(), { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
		fc.jsonValue().map((value) => ({ const: value })),
		fc.constantFrom({ type: "boolean" }, { type: "null" }, { type: ["integer", "null"] }, {}),
		bounds("Length", 40).map((more) => ({ type: "string", ...more })),
		fc.constantFrom("date", "date-time", "email", "uuid", "uri", "ipv4").map((format) => ({ type: "string", format })),
		fc
			.constantFrom("^[a-z]+$", "^[A-Z]{2}-\\d+$", "^v?\\d+\\.\\d+\\.\\d+$", "\\.ts$")
			.map((pattern) => ({ type: "string", pattern })),
		fc
			.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(20))
			.map(([minimum, more]) => ({ type: "integer", minimum, maximum: minimum + more })),
		fc
			.integer({ min: -5, max: 5 })
			.map((exclusiveMinimum) => ({ type: "number", exclusiveMinimum, exclusiveMaximum: exclusiveMinimum + 1 })),
		fc.constantFrom(2, 5).map((multipleOf) => ({ type: "integer", multipleOf, minimum: 1 })),
	];
	if (depth <= 1) return fc.oneof(...leaves);
	const inner = schemas(depth - 1);
	return fc.oneof(
		...leaves,
		fc.tuple(inner, bounds("Items", 4)).map(([items, more]) => ({ type: "array", items, ...more })),
		fc.array(inner, { maxLength: 3 }).map((prefixItems) => ({ type: "array", prefixItems, items: false })),
		fc
			.tuple(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), inner, { maxKeys: 4 }), fc.boolean())
			.map(([properties, closed]) => ({
				type: "object",
				properties,
				required: Object.keys(properties).slice(0, 2),
				...(closed ? { additionalProperties: false } : {}),
			})),
		fc.array(inner, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
		inner
			.map((a) => ({ $ref: "#/$defs/a", $defs: { a: { ...a, $defs: undefined } } }))
			.filter(({ $defs }) => !JSON.stringify($defs).includes("$ref")),
	);
});

describe("sampleData", () => {
	it("fits the schema", () => {
		fc.assert(
			fc.property(schemas(3), (generated) => {
				// References below the top would name parts of another schema.
				const schema = JSON.parse(JSON.stringify(generated)) as Schema;
				fc.pre(schema.$ref !== undefined || !JSON.stringify(schema).includes("$ref"));
				expect(misfits(schema)).toEqual([]);
			}),
			{ numRuns: runs(1) },
		);
	});

	it.each<[string, Schema]>([
		[
			"a schema that contains itself",
			{ type: "object", properties: { child: { $ref: "#" }, name: { type: "string" } }, required: ["name"] },
		],
		["an example for a pattern", { type: "string", pattern: "^[0-9a-f]{7}z$", examples: ["0123abcz"] }],
		["different entries", { type: "array", items: { type: "string" }, uniqueItems: true, minItems: 5 }],
		["as many entries as there are values", { type: "array", items: { enum: ["a"] }, uniqueItems: true }],
		[
			"all parts together",
			{
				allOf: [
					{ properties: { a: { type: "string" } }, required: ["a"] },
					{ properties: { b: { type: "integer" } }, required: ["b"] },
				],
			},
		],
		["what a list contains", { type: "array", contains: { const: 7 }, items: { type: "integer" } }],
	])("fits %s", (_, schema) => {
		expect(misfits(schema)).toEqual([]);
	});

	it("is deterministic", () => {
		const schema = { type: "object", properties: { a: { type: "array", items: { type: "string" } } } };
		expect(sampleData(schema, "x")).toEqual(sampleData(schema, "x"));
	});
});
