// Generates data that matches a JSON Schema, for the understudy. Pure and deterministic. For a `pattern` that none of its strings match, and for
// conditions, the schema needs `examples` or a `default`.

type Schema = Readonly<Record<string, unknown>>;

interface Sampling {
	readonly root: Schema;
	/** Path of the value; used in its strings. */
	readonly name: string;
	/** Index among similar values, from 0. */
	readonly at: number;
	readonly depth: number;
}

const deepest = 12;

/** A value that matches `schema`. */
export function sampleData(schema: Schema, name: string): unknown {
	return sample(schema, { root: schema, name, at: 0, depth: 0 });
}

function sample(given: unknown, sampling: Sampling): unknown {
	const schema = merged(given, sampling.root);
	const { at } = sampling;
	if ("const" in schema) return schema.const;
	for (const key of ["examples", "enum"]) {
		const values = schema[key];
		if (Array.isArray(values) && values.length > 0) return values[at % values.length];
	}
	if ("default" in schema) return schema.default;
	switch (typeOf(schema)) {
		case "object":
			return sampleObject(schema, sampling);
		case "array":
			return sampleList(schema, sampling);
		case "integer":
		case "number":
			return sampleNumber(schema, at);
		case "boolean":
			return true;
		case "null":
			return null;
		default:
			return sampleText(schema, sampling);
	}
}

/** The schema with its references and alternatives: the first of several. */
function merged(given: unknown, root: Schema, depth = 0): Schema {
	if (typeof given !== "object" || given === null || depth > deepest) return {};
	const { $ref, allOf, anyOf, oneOf, ...own } = given as Schema;
	const parts = [
		...(typeof $ref === "string" ? [partOf(root, $ref)] : []),
		...listOf(allOf),
		...listOf(anyOf).slice(0, 1),
		...listOf(oneOf).slice(0, 1),
	];
	return parts.reduce<Schema>((all, part) => combine(all, merged(part, root, depth + 1)), own);
}

function combine(one: Schema, other: Schema): Schema {
	const required = [...new Set([...listOf(one.required), ...listOf(other.required)])];
	const properties = { ...(other.properties as Schema | undefined), ...(one.properties as Schema | undefined) };
	return {
		...other,
		...one,
		...(required.length > 0 ? { required } : {}),
		...(Object.keys(properties).length > 0 ? { properties } : {}),
	};
}

function partOf(root: Schema, reference: string): unknown {
	let part: unknown = root;
	for (const step of reference.split("/").slice(1))
		part = (part as Schema | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")];
	return part;
}

function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

function typeOf({ type, properties, required, items, prefixItems, minimum, maximum }: Schema): unknown {
	const [first] = Array.isArray(type) ? type : [type];
	if (first !== undefined) return first;
	if (properties !== undefined || required !== undefined) return "object";
	if (items !== undefined || prefixItems !== undefined) return "array";
	return minimum === undefined && maximum === undefined ? "string" : "number";
}

function sampleObject(schema: Schema, sampling: Sampling): unknown {
	const { properties = {}, required, additionalProperties, minProperties, maxProperties } = schema;
	const described = properties as Schema;
	const needed = listOf(required).map(String);
	const most = numberOr(maxProperties, Number.POSITIVE_INFINITY);
	// A recursive schema ends with the required fields.
	const optional = sampling.depth < 3 ? Object.keys(described).filter((key) => described[key] !== false) : [];
	const keys = [...new Set([...needed, ...optional])].slice(0, Math.max(needed.length, most));
	for (let n = 1; keys.length < numberOr(minProperties, 0); n += 1) keys.push(`${sampling.name}-${n}`);
	if (sampling.depth > deepest) return {};
	const field = (key: string) =>
		sample(described[key] ?? additionalProperties, { ...sampling, name: key, depth: sampling.depth + 1 });
	return Object.fromEntries(keys.map((key) => [key, field(key)]));
}

function sampleList(schema: Schema, sampling: Sampling): unknown {
	const first = listOf(schema.prefixItems);
	const least = Math.max(numberOr(schema.minItems, 0), first.length);
	const wanted = sampling.depth > deepest ? least : Math.max(least, 2);
	const most = schema.items === false ? first.length : numberOr(schema.maxItems, Number.POSITIVE_INFINITY);
	const choices = merged(schema.items, sampling.root).enum;
	const distinct = schema.uniqueItems === true && Array.isArray(choices) ? choices.length : Number.POSITIVE_INFINITY;
	const entries = Array.from({ length: Math.min(wanted, most, Math.max(distinct, least)) }, (_, at) => {
		const own = first[at] ?? (at < numberOr(schema.minContains, 1) ? (schema.contains ?? schema.items) : schema.items);
		return sample(own, { ...sampling, at, depth: sampling.depth + 1 });
	});
	return inChain(entries);
}

/** Tasks with ids and needs, of which each needs the one before it; other entries stay as they are. */
function inChain(entries: readonly unknown[]): readonly unknown[] {
	const isTask = (entry: unknown): entry is Schema =>
		typeof entry === "object" && entry !== null && "id" in entry && Array.isArray((entry as Schema).needs);
	if (!entries.every(isTask)) return entries;
	return entries.map((entry, at) => ({ ...entry, needs: at === 0 ? [] : [entries[at - 1]?.id] }));
}

function sampleNumber(schema: Schema, at: number): number {
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = schema;
	const step = numberOr(multipleOf, type === "number" && typeof exclusiveMinimum === "number" ? 0.5 : 1);
	const above = Math.max(
		numberOr(minimum, Number.NEGATIVE_INFINITY),
		numberOr(exclusiveMinimum, Number.NEGATIVE_INFINITY),
	);
	const below = Math.min(
		numberOr(maximum, Number.POSITIVE_INFINITY),
		numberOr(exclusiveMaximum, Number.POSITIVE_INFINITY),
	);
	const start = Number.isFinite(above) ? above : Math.min(1, below);
	const fits = (value: number): boolean =>
		value >= above && value <= below && value !== exclusiveMinimum && value !== exclusiveMaximum;
	let value = Math.ceil(start / step) * step;
	if (!fits(value) && fits(value + step)) value += step;
	if (!fits(value) && type !== "integer" && multipleOf === undefined) value = (above + below) / 2;
	if (!fits(value) && Number.isFinite(below)) value = Math.floor(below / step) * step;
	if (!fits(value)) value -= step;
	return fits(value + at * step) ? value + at * step : value;
}

/** By `format`, and for patterns. */
const texts: Readonly<Record<string, string>> = {
	date: "2026-01-01",
	"date-time": "2026-01-01T00:00:00Z",
	duration: "P1D",
	email: "somebody@example.com",
	hostname: "example.com",
	ipv4: "192.0.2.1",
	ipv6: "2001:db8::1",
	"json-pointer": "/a",
	regex: "^a$",
	time: "00:00:00Z",
	uri: "https://example.com/",
	uuid: "00000000-0000-4000-8000-000000000000",
};
const plain = [
	"a",
	"A",
	"1",
	"a1",
	"A1",
	"AB-1",
	"a-b",
	"a_b",
	"a/b",
	"src/a.ts",
	"1.0.0",
	"v1.0.0",
	"0123456789abcdef",
	"abcdef",
	"ok",
	"yes",
];

function sampleText({ format, pattern, minLength, maxLength }: Schema, { name, at }: Sampling): string {
	const least = numberOr(minLength, 0);
	const most = numberOr(maxLength, Number.POSITIVE_INFINITY);
	const written = `${name} ${at + 1}`;
	const own = typeof format === "string" ? [texts[format] ?? written] : [written, `Rehearsed ${written}`];
	const candidates = [...own, ...likely(pattern), ...plain, ...Object.values(texts)].flatMap((one) => [
		one,
		one.repeat(8),
	]);
	const expression = typeof pattern === "string" ? new RegExp(pattern, "u") : undefined;
	const fits = (text: string): boolean =>
		[...text].length >= least && [...text].length <= most && (expression?.test(text) ?? true);
	const padded = written.padEnd(least, ".").slice(0, Math.min(most, Math.max(least, written.length)));
	return candidates.find(fits) ?? padded;
}

/** Strings that may match a simple pattern, such as a suffix: its letters verbatim, with others around them. */
function likely(pattern: unknown): readonly string[] {
	if (typeof pattern !== "string") return [];
	const literal = pattern.replace(/^\^|\$$/g, "").replace(/\\(.)/g, "$1");
	return [literal, `a${literal}`, `${literal}a`, `${literal}1`, `a${literal}a`];
}

function numberOr(value: unknown, otherwise: number): number {
	return typeof value === "number" ? value : otherwise;
}
