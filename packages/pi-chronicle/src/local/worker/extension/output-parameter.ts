// The JSON Schema of a state's output as the schema of a tool's parameter. Providers accept only part of JSON Schema, and references count from
// the root of the tool's schema. Pure.
// Every value that matches the state's schema matches this one; what cannot be expressed is in the description, as the whole schema.
import { isRecord } from "@pi-chronicle/core/definition";
import type { OutputSchema } from "@pi-chronicle/core/template";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords with a value that providers accept as it is. */
const plain = new Set([
	"type",
	"enum",
	"const",
	"description",
	"title",
	"required",
	"minItems",
	"maxItems",
	"minLength",
	"maxLength",
	"minimum",
	"maximum",
	"pattern",
	"format",
]);
/** Keywords that say nothing about the value. */
const silent = new Set(["$schema", "$id", "$comment", "$defs", "definitions", "examples", "default", "deprecated"]);
const deepest = 8;

interface Conversion {
	readonly root: OutputSchema;
	/** The references that led here. */
	readonly refs: readonly string[];
	readonly depth: number;
	/** Called for what cannot be expressed. */
	lose(): void;
}

/** The schema of a parameter, with `about` as its description. */
export function outputParameter(output: OutputSchema, about: string): Record<string, unknown> {
	let isWhole = true;
	const reading: Conversion = {
		root: output,
		refs: [],
		depth: 0,
		lose: () => {
			isWhole = false;
		},
	};
	const { description, ...schema } = convertSchema(output, reading);
	const own = typeof description === "string" ? [description] : [];
	const whole = isWhole ? [] : [`It must match this JSON Schema: ${JSON.stringify(output)}`];
	return { ...schema, description: [...own, about, ...whole].join(" ") };
}

function convertSchema(schema: unknown, reading: Conversion): Record<string, unknown> {
	if (schema === true) return {};
	if (!isRecord(schema) || reading.depth > deepest) {
		reading.lose();
		return {};
	}
	if (typeof schema.$ref === "string") return convertReference(schema.$ref, schema, reading);
	const inner = { ...reading, depth: reading.depth + 1 };
	return Object.fromEntries(
		Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
			if (plain.has(keyword)) return [[keyword, value]];
			if (isNarrowed(keyword, schema)) return [];
			const converted = convertKeyword(keyword, value, inner);
			if (converted === undefined && !silent.has(keyword)) reading.lose();
			return converted === undefined ? [] : [[keyword, converted]];
		}),
	);
}

/** Whether a keyword means less beside another one, which is left out. */
function isNarrowed(keyword: string, schema: JsonSchema): boolean {
	return (
		(keyword === "additionalProperties" && "patternProperties" in schema) ||
		(keyword === "items" && "prefixItems" in schema)
	);
}

/** The value of a keyword that contains schemas; `undefined` for one that is left out. */
function convertKeyword(keyword: string, value: unknown, reading: Conversion): unknown {
	switch (keyword) {
		case "properties":
			return isRecord(value)
				? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, convertSchema(one, reading)]))
				: undefined;
		case "items":
			return convertSchema(value, reading);
		case "additionalProperties":
			return typeof value === "boolean" ? value : convertSchema(value, reading);
		case "anyOf":
			return Array.isArray(value) ? value.map((one) => convertSchema(one, reading)) : undefined;
		default:
			return undefined;
	}
}

/** What a reference within the schema names, in its place; one that contains itself is left open. */
function convertReference(ref: string, schema: JsonSchema, reading: Conversion): Record<string, unknown> {
	const found = reading.refs.includes(ref) ? undefined : resolve(ref, reading.root);
	const others = Object.keys(schema).filter((keyword) => keyword !== "$ref" && !silent.has(keyword));
	if (found === undefined || others.some((keyword) => keyword !== "description")) {
		reading.lose();
		return {};
	}
	return convertSchema(found, { ...reading, refs: [...reading.refs, ref], depth: reading.depth + 1 });
}

function resolve(ref: string, root: OutputSchema): unknown {
	if (!ref.startsWith("#")) return undefined;
	let value: unknown = root;
	for (const step of ref.slice(1).split("/").slice(1)) {
		const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
		value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
	}
	return value;
}
