// Objects: reads a map against a table of fields, and defines the fields for lists, objects, and records.
// Every problem of an object is reported, not only the first; an unknown key is never silent, unless the caller opts out.
import { type Common, type Field, field, type Given, type ReadContext, wrongType } from "./field.ts";
import { quoted } from "./format.ts";
import { likely } from "./near-names.ts";
import { describeNode, type MapEntry, type MapNode, type Node } from "./node.ts";
import type { Problem } from "./report.ts";

export type Fields = Readonly<Record<string, Field<unknown>>>;

export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** `partial`: the values that could be read despite the problems, for better messages. */
export type ObjectRead<F extends Fields> =
	| { readonly kind: "read"; readonly values: Values<F> }
	| { readonly kind: "failed"; readonly partial: Partial<Values<F>> };

export interface ObjectOptions {
	/** Severity of an unknown key; default: a warning. Use `silent` if the file may contain keys of other tools. */
	unknown?(key: string, value: Node): "error" | "warning" | "silent";
	/** Remedy for an unknown key that is not similar to a known one; default: remove it. */
	remedy?(key: string, value: Node): string | undefined;
}

/** Reads every field of the table from a map and fills in defaults. */
export function readObject<F extends Fields>(
	map: MapNode,
	fields: F,
	reading: ReadContext,
	options: ObjectOptions = {},
): ObjectRead<F> {
	const values: Record<string, unknown> = {};
	let failed = false;
	for (const [key, wanted] of Object.entries(fields)) {
		const path = reading.path === "" ? key : `${reading.path}.${key}`;
		const read = readField(map, key, wanted, { ...reading, path });
		if (read.kind === "read") values[key] = read.value;
		else failed = true;
	}
	if (reportUnknownKeys(map, fields, reading, options)) failed = true;
	return failed
		? { kind: "failed", partial: values as Partial<Values<F>> }
		: { kind: "read", values: values as Values<F> };
}

/** Reports unknown keys. Returns whether one of them is an error. */
function reportUnknownKeys(
	map: MapNode,
	fields: Fields,
	{ path, report, source }: ReadContext,
	options: ObjectOptions,
): boolean {
	let failed = false;
	for (const [key, entry] of map.entries) {
		if (Object.hasOwn(fields, key) || (key === "$schema" && path === "")) continue;
		const severity = options.unknown?.(key, entry.value) ?? "warning";
		if (severity === "silent") continue;
		failed ||= severity === "error";
		const problem = unknownKey(key, entry, Object.keys(fields), path, options);
		report[severity === "error" ? "error" : "warn"](source.place(entry.keyStart), problem);
	}
	return failed;
}

type FieldRead = { readonly kind: "read"; readonly value: unknown } | { readonly kind: "failed" };

function readField(map: MapNode, key: string, wanted: Field<unknown>, reading: ReadContext): FieldRead {
	const { source, report, path } = reading;
	const entry = map.entries.get(key);
	if (!entry && !wanted.required) return { kind: "read", value: wanted.fallback };
	if (!entry) {
		report.error(source.place(map.start), {
			code: "missing-key",
			message: `\`${path}\` is missing.`,
			remedy: `Add \`${key}: …\` (${wanted.type}).`,
		});
		return { kind: "failed" };
	}
	if (entry.value.kind === "scalar" && entry.value.value === null) {
		const isError = wanted.empty === "error";
		report[isError ? "error" : "warn"](source.place(entry.keyStart), {
			code: "empty-value",
			message: `\`${path}\` has no value.`,
			remedy: `Write its value (${wanted.type})${wanted.required ? "" : ", or remove the line"}.`,
		});
		return isError ? { kind: "failed" } : { kind: "read", value: wanted.fallback };
	}
	const value = wanted.read(entry.value, reading);
	return value === undefined ? { kind: "failed" } : { kind: "read", value };
}

function unknownKey(
	key: string,
	{ value }: MapEntry,
	known: readonly string[],
	path: string,
	options: ObjectOptions,
): Problem {
	const near = likely(key, known);
	const inside = path === "" ? "" : ` in \`${path}\``;
	const message = `Unknown field ${quoted(key)}${inside}.`;
	if (near !== undefined)
		return {
			code: "unknown-key",
			message: `${message} Did you mean \`${near}\`?`,
			remedy: `Write \`${near}\`, or remove the line.`,
		};
	const all = known.length <= 8 ? ` The known fields are ${known.join(", ")}.` : "";
	return {
		code: "unknown-key",
		message,
		remedy: options.remedy?.(key, value) ?? `Remove it: it has no effect.${all}`,
	};
}

/** An object field. */
export function objectField<F extends Fields, const O extends Common<Values<F>>>(
	fields: F,
	options: O,
): Field<Given<Values<F>, O>> {
	return field<Values<F>, O>(options, "object", objectSchema(fields), (node, reading) => {
		if (node.kind !== "map") return wrongType(node, reading, "an object", "Indent its fields below it.");
		const read = readObject(node, fields, reading);
		return read.kind === "read" ? read.values : undefined;
	});
}

/** A list field; `of` reads each entry. */
export function list<T, const O extends Common<readonly T[]> & { readonly min?: number }>(
	of: Field<T>,
	options: O,
): Field<Given<readonly T[], O>> {
	const min = options.min ?? 0;
	const schema = { type: "array", items: of.schema, ...(min > 0 ? { minItems: min } : {}) };
	return field<readonly T[], O>(options, `list of ${of.type}`, schema, (node, reading) => {
		if (node.kind !== "list" || node.items.length < min) {
			const wanted = min > 0 ? `a list with at least ${min === 1 ? "one entry" : `${min} entries`}` : "a list";
			return wrongType(node, reading, wanted, "Write one entry per line below the key, each starting with `- `.");
		}
		const values: T[] = [];
		let failed = false;
		node.items.forEach((item, index) => {
			const value = readOne(of, item, { ...reading, path: `${reading.path}[${index + 1}]` });
			if (value === undefined) failed = true;
			else values.push(value);
		});
		return failed ? undefined : values;
	});
}

/** An object with arbitrary keys; `of` reads each value. Keeps the order of the file. */
export function record<T, const O extends Common<ReadonlyMap<string, T>>>(
	of: Field<T>,
	options: O,
): Field<Given<ReadonlyMap<string, T>, O>> {
	const schema = { type: "object", additionalProperties: of.schema };
	return field<ReadonlyMap<string, T>, O>(options, `object of ${of.type}`, schema, (node, reading) => {
		if (node.kind !== "map")
			return wrongType(node, reading, "an object with named entries", "Write `name: …` lines below it.");
		const values = new Map<string, T>();
		let failed = false;
		for (const [key, entry] of node.entries) {
			const value = readOne(of, entry.value, { ...reading, path: `${reading.path}.${key}` });
			if (value === undefined) failed = true;
			else values.set(key, value);
		}
		return failed ? undefined : values;
	});
}

function readOne<T>(of: Field<T>, node: Node, reading: ReadContext): T | undefined {
	if (node.kind === "scalar" && node.value === null)
		return wrongType(node, reading, of.type, `Write it, or remove the entry; it is ${describeNode(node)}.`);
	return of.read(node, reading);
}

/** JSON Schema of an object. It allows no other keys, so editors mark unknown ones. */
export function objectSchema(fields: Fields): Record<string, unknown> {
	const entries = Object.entries(fields);
	const required = entries.filter(([, wanted]) => wanted.required).map(([key]) => key);
	return {
		type: "object",
		properties: Object.fromEntries(entries.map(([key, wanted]) => [key, wanted.schema])),
		...(required.length > 0 ? { required } : {}),
		additionalProperties: false,
	};
}
