// Describes one field: its type for the tables, its JSON Schema, and its meaning.
import type { JsonSchema } from "@pi-chronicle/core/definition";

export interface Meaning {
	readonly type: string;
	readonly about: string;
	readonly schema: JsonSchema;
}

export const text = (about: string, more: JsonSchema = {}): Meaning => ({
	type: "string",
	about,
	schema: { type: "string", ...more },
});
export const count = (about: string): Meaning => ({ type: "number", about, schema: { type: "number", minimum: 0 } });
export const time = (about: string): Meaning => ({
	type: "time",
	about,
	schema: { type: "string", format: "date-time" },
});
export const list = (about: string, items: JsonSchema): Meaning => ({
	type: "list",
	about,
	schema: { type: "array", items },
});
export const object = (about: string, schema: JsonSchema = {}): Meaning => ({
	type: "object",
	about,
	schema: { type: "object", ...schema },
});
export const fields = (of: Readonly<Record<string, Meaning>>, optional: readonly string[] = []): JsonSchema => ({
	type: "object",
	properties: Object.fromEntries(
		Object.entries(of).map(([name, { schema, about }]) => [name, { description: about, ...schema }]),
	),
	required: Object.keys(of).filter((name) => !optional.includes(name)),
});
