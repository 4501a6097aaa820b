// The JSON Schema and the reference of a ledger's events, read from the types of `EventBody`: their doc comments say what each kind and field
// means.

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JsonSchema } from "@pi-chronicle/core/definition";
import { parseSync, type TSSignature, type TSType } from "oxc-parser";
import { count, fields, text, time } from "./meaning.ts";

const core = fileURLToPath(new URL("../packages/core/src/", import.meta.url));

/** A property of a type, with its doc comment. */
interface Property {
	readonly name: string;
	readonly optional: boolean;
	readonly about: string;
	readonly type: TSType;
}

/** An interface, or the type that an alias stands for. */
interface Declared {
	readonly name: string;
	readonly about: string;
	readonly type?: TSType;
	readonly bases: readonly string[];
	readonly own: readonly Property[];
}

const declared: ReadonlyMap<string, Declared> = new Map(
	globSync("**/*.ts", { cwd: core })
		.flatMap((file) => typesIn(readFileSync(`${core}${file}`, "utf8")))
		.map((one) => [one.name, one]),
);

/** The types that a source text declares at its top level. */
function typesIn(source: string): Declared[] {
	const { program, comments } = parseSync("source.ts", source);
	const aboutAt = (start: number): string => {
		const comment = comments.findLast(({ end }) => end <= start);
		if (!comment?.value.startsWith("*") || source.slice(comment.end, start).trim() !== "") return "";
		return comment.value
			.replaceAll(/^\s*\*+/gm, " ")
			.replaceAll(/\{@link (\w+)\}/g, "`$1`")
			.replaceAll(/\s+/g, " ")
			.trim();
	};
	const propertiesOf = (members: readonly TSSignature[]): Property[] =>
		members.flatMap((member) => {
			if (member.type !== "TSPropertySignature" || member.key.type !== "Identifier" || !member.typeAnnotation)
				return [];
			const { key, optional, start, typeAnnotation } = member;
			return [{ name: key.name, optional, about: aboutAt(start), type: typeAnnotation.typeAnnotation }];
		});
	return program.body.flatMap((statement): Declared[] => {
		const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
		if (node?.type !== "TSTypeAliasDeclaration" && node?.type !== "TSInterfaceDeclaration") return [];
		const common = { name: node.id.name, about: aboutAt(statement.start) };
		if (node.type === "TSTypeAliasDeclaration") return [{ ...common, type: node.typeAnnotation, bases: [], own: [] }];
		const bases = node.extends.map(({ expression }) => (expression.type === "Identifier" ? expression.name : ""));
		return [{ ...common, bases, own: propertiesOf(node.body.body) }];
	});
}

const nameOfReference = (type: TSType): string =>
	type.type === "TSTypeReference" && type.typeName.type === "Identifier" ? type.typeName.name : "";

function propertiesOfType(name: string): readonly Property[] {
	const { bases = [], own = [] } = declared.get(name) ?? {};
	const names = new Set(own.map((property) => property.name));
	return [...bases.flatMap(propertiesOfType).filter((property) => !names.has(property.name)), ...own];
}

/** What an event can be: the interfaces of a union, with the fields that an intersection adds to them. */
function alternatives(type: TSType): { about: string; properties: readonly Property[] }[] {
	if (type.type === "TSUnionType") return type.types.flatMap(alternatives);
	if (type.type === "TSIntersectionType") {
		const [added = [], ...rest] = type.types.map(alternatives);
		return rest.flat().map(({ about, properties }) => ({
			about,
			properties: [...properties, ...added.flatMap((one) => one.properties)],
		}));
	}
	const name = nameOfReference(type);
	const found = declared.get(name);
	if (!found) throw new Error(`The type ${name || type.type} of an event is not declared in core.`);
	return found.type ? alternatives(found.type) : [{ about: found.about, properties: propertiesOfType(name) }];
}

/** The JSON Schema of a field, without that of the fields in it. */
function schemaOf(type: TSType): JsonSchema {
	switch (type.type) {
		case "TSStringKeyword":
			return { type: "string" };
		case "TSNumberKeyword":
			return { type: "number" };
		case "TSBooleanKeyword":
			return { type: "boolean" };
		case "TSNullKeyword":
			return { type: "null" };
		case "TSLiteralType":
			return { const: type.literal.type === "Literal" ? type.literal.value : undefined };
		case "TSTypeOperator":
			return schemaOf(type.typeAnnotation);
		case "TSArrayType":
			return { type: "array", items: schemaOf(type.elementType) };
		case "TSTypeLiteral":
			return { type: "object" };
		case "TSUnionType":
			return schemaOfUnion(type.types.map(schemaOf));
		case "TSTypeReference": {
			const { type: alias } = declared.get(nameOfReference(type)) ?? {};
			return alias ? schemaOf(alias) : { type: "object" };
		}
		default:
			return {};
	}
}

function schemaOfUnion(parts: readonly JsonSchema[]): JsonSchema {
	const values = parts.map((part) => part.enum ?? ("const" in part ? [part.const] : undefined));
	if (values.every(Array.isArray)) return { enum: values.flat() };
	const kinds = [...new Set(parts.map((part) => JSON.stringify(part)))];
	return kinds.length === 1 && parts[0] ? parts[0] : { anyOf: kinds.map((kind) => JSON.parse(kind)) };
}

export interface EventMeaning {
	readonly about: string;
	/** Its own fields, beside `seq`, `at`, `kind`, `fence` and `crc`. */
	readonly properties: readonly Property[];
}

/** Every kind of event, in the order of `EventBody`. */
export const eventKinds: ReadonlyMap<string, EventMeaning> = new Map(
	alternatives(declared.get("EventBody")?.type as TSType).map(({ about, properties }) => {
		const kind = properties.find(({ name }) => name === "kind");
		return [String(kind && schemaOf(kind.type).const), { about, properties: properties.filter((one) => one !== kind) }];
	}),
);

/** JSON Schema of one line of `<uuid>.events.jsonl`. */
export function eventSchema(): JsonSchema {
	const kindSchema = (kind: string, { about, properties }: EventMeaning): JsonSchema => ({
		description: about,
		properties: {
			kind: { const: kind },
			...Object.fromEntries(
				properties.map((one) => [one.name, { description: one.about || undefined, ...schemaOf(one.type) }]),
			),
		},
		required: properties.filter(({ optional }) => !optional).map(({ name }) => name),
	});
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Chronicle event",
		description: "One line of a run's event log.",
		...fields(
			{
				seq: count("Number of the event, from 1, without gaps."),
				at: time("When it was recorded."),
				kind: text("What happened.", { enum: [...eventKinds.keys()] }),
				fence: count("Number of the lease under which it was written."),
				crc: text('CRC-32 of the line\'s bytes before `,"crc":`, in eight hexadecimal digits.', {
					pattern: "^[0-9a-f]{8}$",
				}),
			},
			["fence"],
		),
		oneOf: [...eventKinds].map(([kind, meaning]) => kindSchema(kind, meaning)),
	};
}
