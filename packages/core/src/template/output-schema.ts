// The field `output`: a JSON Schema (draft 2020-12) for a worker's output. Validates the schema itself, with positions.
// A schema in a ledger is not validated: what an earlier version accepted must stay readable; a misspelled keyword is an error,
// because it would check nothing.
import {
	custom,
	didYouMean,
	expressionMistake,
	type MapNode,
	type Node,
	plainOf,
	quoted,
	type ReadContext,
	sizeOf,
	wrongType,
} from "../definition/index.ts";

/** A JSON Schema as data. */
export type OutputSchema = Readonly<Record<string, unknown>>;

/** `root` is the whole schema, for references. */
type SchemaReading = ReadContext & { readonly root: MapNode };

type KeywordCheck = (node: Node, reading: SchemaReading, depth: number) => void;

const longest = 16_000;
const deepest = 20;
const types = ["object", "array", "string", "number", "integer", "boolean", "null"];
/** Those of the validator. */
const formats = [
	"date",
	"date-time",
	"duration",
	"email",
	"hostname",
	"ipv4",
	"ipv6",
	"json-pointer",
	"regex",
	"time",
	"uri",
	"uuid",
];

export interface OutputField {
	/** `undefined`: it has only `max_kb`. */
	readonly schema: OutputSchema | undefined;
	readonly maxKilobytes: number | undefined;
}

/** The key beside the keywords of the schema, of a command alone. */
const SIZE = "max_kb";
const maxKilobytes = 64;

export const outputField = custom<OutputField, { about: string; empty: "error" }>(
	{
		about:
			"JSON Schema (draft 2020-12) of the data that the worker hands over when it leaves the state, at most 64 KB. Data that does not match is refused, and the worker gets the reason. Later states can refer to it: `{output.<state>.<path>}`. Of a command: the data that it prints (`parse`); `max_kb` beside it is how much of the end of its output the next worker gets, 1 to 64, by default 32.",
		empty: "error",
	},
	"JSON Schema",
	{ type: "object" },
	(node, reading) => {
		if (node.kind !== "map")
			return wrongType(node, reading, "a JSON Schema", 'Write `{ "type": "object", "properties": { … } }`.');
		const size = node.entries.get(SIZE)?.value;
		const kilobytes = size && readSize(size, atKey(reading, SIZE));
		const rest: MapNode = { ...node, entries: new Map([...node.entries].filter(([key]) => key !== SIZE)) };
		if (size && rest.entries.size === 0) return { schema: undefined, maxKilobytes: kilobytes };
		const schema = readSchema(rest, reading);
		return schema && { schema, maxKilobytes: kilobytes };
	},
);

function readSize({ start, ...node }: Node, reading: ReadContext): number | undefined {
	const value = node.kind === "scalar" ? node.value : undefined;
	if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxKilobytes) return Number(value);
	if (reading.source.file !== "")
		schemaProblem(
			start,
			reading,
			`\`${reading.path}\` must be a whole number from 1 to ${maxKilobytes}.`,
			"Write it in digits, without quotes.",
		);
	return undefined;
}

function readSchema(node: MapNode, reading: ReadContext): OutputSchema | undefined {
	const schema = plainOf(node) as OutputSchema;
	if (reading.source.file === "") return schema;
	const failedBefore = reading.report.failed;
	if (sizeOf(node) > longest) {
		schemaProblem(
			node.start,
			reading,
			`\`${reading.path}\` is longer than ${longest} characters.`,
			"Request less data, or the name of a file.",
		);
		return undefined;
	}
	checkSchema(node, { ...reading, root: node }, 0);
	return reading.report.failed && !failedBefore ? undefined : schema;
}

function schemaProblem(start: number, reading: ReadContext, message: string, remedy: string): void {
	reading.report.error(reading.source.place(start), { code: "bad-schema", message, remedy });
}

function atKey<R extends ReadContext>(reading: R, key: string): R {
	return { ...reading, path: `${reading.path}.${key}` };
}

function checkSchema(node: Node, reading: SchemaReading, depth: number): void {
	if (node.kind === "scalar" && typeof node.value === "boolean") return;
	if (node.kind !== "map")
		return void wrongType(node, reading, "a JSON Schema", 'Write an object such as `{ "type": "string" }`, or `true`.');
	if (depth > deepest) {
		schemaProblem(node.start, reading, `\`${reading.path}\` is nested too deeply.`, "Request less deeply nested data.");
		return;
	}
	for (const [key, { keyStart, value }] of node.entries) {
		const check = keywords.get(key);
		if (check) check(value, atKey(reading, key), depth);
		else
			schemaProblem(
				keyStart,
				reading,
				`\`${reading.path}\`: ${quoted(key)} is not a JSON Schema keyword.${didYouMean(key, keywords.keys())}`,
				"Put the fields of the data under `properties`.",
			);
	}
	checkRequired(node, reading);
}

/** A required field that `properties` does not name is misspelled, or cannot be handed over at all. */
function checkRequired({ entries }: MapNode, reading: ReadContext): void {
	const required = entries.get("required")?.value;
	const properties = entries.get("properties")?.value;
	if (required?.kind !== "list" || properties?.kind !== "map" || entries.has("patternProperties")) return;
	const closed = entries.get("additionalProperties")?.value;
	const names = [...properties.entries.keys()];
	for (const item of required.items) {
		if (item.kind !== "scalar" || typeof item.value !== "string" || properties.entries.has(item.value)) continue;
		const message = `\`${reading.path}.required\` names ${quoted(item.value)}, which \`properties\` does not have.${didYouMean(item.value, names)}`;
		const found = { code: "bad-schema", message, remedy: "Describe it under `properties`, or remove it." };
		const isClosed = closed?.kind === "scalar" && closed.value === false;
		reading.report[isClosed ? "error" : "warn"](reading.source.place(item.start), found);
	}
}

/** `$ref` may name the schema itself or a part of it: `#`, `#/$defs/name`. */
function references(node: Node, reading: SchemaReading): void {
	if (node.kind !== "scalar" || typeof node.value !== "string") {
		texts(node, reading);
		return;
	}
	const { root } = reading;
	if (hasPart(root, node.value)) return;
	const definitions = root.entries.get("$defs")?.value;
	const names = definitions?.kind === "map" ? [...definitions.entries.keys()].map((name) => `#/$defs/${name}`) : [];
	schemaProblem(
		node.start,
		reading,
		`\`${reading.path}\` names ${quoted(node.value)}, which is not a part of the schema.${didYouMean(node.value, names)}`,
		"Write `#/$defs/<name>`, and describe it under `$defs`.",
	);
}

function hasPart(root: MapNode, reference: string): boolean {
	if (reference === "#") return true;
	if (!reference.startsWith("#/")) return false;
	let node: Node | undefined = root;
	for (const step of reference.slice(2).split("/")) {
		const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
		node =
			node?.kind === "map"
				? node.entries.get(name)?.value
				: node?.kind === "list"
					? node.items[Number(name)]
					: undefined;
	}
	return node !== undefined;
}

// ── keywords ──

const anything = (): void => {};

/** A check for a scalar that `fits`; `expected` completes "must be …". */
function scalar(
	fits: (value: unknown) => boolean,
	expected: string,
	remedy: string,
): (node: Node, reading: ReadContext) => void {
	return (node, reading) => {
		if (node.kind !== "scalar" || !fits(node.value)) wrongType(node, reading, expected, remedy);
	};
}

const inDigits = "Write it in digits, without quotes.";
const texts = scalar((value) => typeof value === "string", "a string", "Put it in quotes.");
const flags = scalar((value) => typeof value === "boolean", "`true` or `false`", "Write one of them, without quotes.");
const numbers = scalar(Number.isFinite, "a number", inDigits);
const positives = scalar((value) => typeof value === "number" && value > 0, "a number above 0", inDigits);
const counts = scalar((value) => Number.isSafeInteger(value) && Number(value) >= 0, "a whole number from 0", inDigits);

function expressions(node: Node, reading: ReadContext): void {
	if (node.kind !== "scalar" || typeof node.value !== "string")
		return void wrongType(node, reading, "a regular expression", "Put it in quotes.");
	const why = expressionMistake(node.value, "u");
	if (why !== undefined)
		schemaProblem(node.start, reading, `\`${reading.path}\` is not a valid regular expression: ${why}.`, "Correct it.");
}

function oneOfWords(words: readonly string[], what: string): (node: Node, reading: ReadContext) => void {
	return (node, reading) => {
		if (node.kind === "scalar" && typeof node.value === "string" && words.includes(node.value)) return;
		const near = node.kind === "scalar" ? didYouMean(String(node.value), words) : "";
		schemaProblem(
			node.start,
			reading,
			`\`${reading.path}\` is ${node.kind === "scalar" ? quoted(node.written) : "not a string"}, but must be a ${what}.${near}`,
			`Write one of ${words.join(", ")}.`,
		);
	};
}

const oneType = oneOfWords(types, "JSON type");

function checkTypeNames(node: Node, reading: ReadContext): void {
	for (const one of node.kind === "list" && node.items.length > 0 ? node.items : [node]) oneType(one, reading);
}

function values(node: Node, reading: ReadContext): void {
	if (node.kind !== "list" || node.items.length === 0)
		wrongType(node, reading, "a list of values", 'Write `["one", "other"]`.');
}

function textLists(node: Node, reading: ReadContext): void {
	if (node.kind !== "list") return void wrongType(node, reading, "a list of names", 'Write `["name"]`.');
	for (const item of node.items) texts(item, { ...reading, path: `${reading.path}[]` });
}

function schemaLists(node: Node, reading: SchemaReading, depth: number): void {
	if (node.kind !== "list" || node.items.length === 0)
		return void wrongType(node, reading, "a list of JSON Schemas", "Write `[{ … }, { … }]`.");
	node.items.forEach((item, index) => {
		checkSchema(item, { ...reading, path: `${reading.path}[${index + 1}]` }, depth + 1);
	});
}

function schemaGroups(node: Node, reading: SchemaReading, depth: number): void {
	if (node.kind !== "map")
		return void wrongType(node, reading, "an object of JSON Schemas", 'Write `"name": { "type": "string" }`.');
	for (const [name, { value }] of node.entries) checkSchema(value, atKey(reading, name), depth + 1);
}

function patternGroups(node: Node, reading: SchemaReading, depth: number): void {
	schemaGroups(node, reading, depth);
	if (node.kind !== "map") return;
	for (const [name, { keyStart }] of node.entries) {
		const why = expressionMistake(name, "u");
		if (why !== undefined)
			schemaProblem(
				keyStart,
				reading,
				`\`${reading.path}\`: ${quoted(name)} is not a valid regular expression: ${why}.`,
				"Correct it.",
			);
	}
}

function nameLists(node: Node, reading: ReadContext): void {
	if (node.kind !== "map") return void wrongType(node, reading, "an object of lists", 'Write `"name": ["other"]`.');
	for (const [name, { value }] of node.entries) textLists(value, atKey(reading, name));
}

function deeper(node: Node, reading: SchemaReading, depth: number): void {
	checkSchema(node, reading, depth + 1);
}

/** What checks the value of which keywords. */
const checks: readonly (readonly [check: KeywordCheck, keywords: readonly string[]])[] = [
	[anything, ["default", "examples", "const"]],
	[texts, ["$schema", "$comment", "title", "description"]],
	[flags, ["deprecated", "readOnly", "writeOnly", "uniqueItems"]],
	[numbers, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]],
	[positives, ["multipleOf"]],
	[counts, ["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"]],
	[counts, ["minProperties", "maxProperties"]],
	[checkTypeNames, ["type"]],
	[values, ["enum"]],
	[oneOfWords(formats, "format"), ["format"]],
	[expressions, ["pattern"]],
	[textLists, ["required"]],
	[nameLists, ["dependentRequired"]],
	[references, ["$ref"]],
	[deeper, ["items", "contains", "additionalProperties", "propertyNames", "unevaluatedProperties"]],
	[deeper, ["unevaluatedItems", "not", "if", "then", "else"]],
	[schemaLists, ["prefixItems", "allOf", "anyOf", "oneOf"]],
	[schemaGroups, ["$defs", "properties", "dependentSchemas"]],
	[patternGroups, ["patternProperties"]],
];

const keywords: ReadonlyMap<string, KeywordCheck> = new Map(
	checks.flatMap(([check, names]) => names.map((name) => [name, check] as const)),
);
