// Writes an imported chronicle template: YAML, with its origin in a comment.
import { basename } from "node:path";
import { stringify } from "yaml";
import { singleLine } from "../definition/index.ts";
import { type ImportDraft, type ImportNote, importNote, originComment } from "./draft.ts";
import type { Plain, PlainRecord } from "./foreign-fields.ts";

export interface TemplateParts {
	/** The file's name, a slug. */
	readonly name: string;
	readonly title?: string | undefined;
	readonly description?: string | undefined;
	/** Further fields of the template. */
	readonly head?: PlainRecord;
	/** In order; the run starts in the first. */
	readonly states: ReadonlyMap<string, PlainRecord>;
	readonly limits?: PlainRecord;
	readonly from: string;
	readonly format: string;
	readonly notes: readonly ImportNote[];
}

const longestInstructions = 40_000;
const longestDescription = 4000;

export function templateDraft({
	name,
	title,
	description,
	head = {},
	states,
	limits,
	from,
	format,
	notes,
}: TemplateParts): ImportDraft {
	const all: ImportNote[] = [...notes];
	const shortened = [...states].map(([state, fields]) => [state, shorten(state, fields, from, all)] as const);
	const content = {
		...head,
		...(title === undefined ? {} : { name: singleLine(title).trim().slice(0, 200) || name }),
		...(description?.trim() ? { description: cut(description.trim(), longestDescription) } : {}),
		...(head.requires === undefined && shortened.some(([, fields]) => "branches" in fields || "run" in fields)
			? { requires: ">=0.2" }
			: {}),
		...(limits && Object.keys(limits).length > 0 ? { limits } : {}),
		states: Object.fromEntries(shortened),
	};
	const text = stringify(content, { lineWidth: 120, aliasDuplicateObjects: false });
	return {
		kind: "chronicle template",
		name,
		from,
		format,
		files: [{ path: `.pi/chronicle/workflows/${name}.yaml`, text: originComment(basename(from), format, all) + text }],
		notes: all,
	};
}

/** The fields, cut to their limits. */
function shorten(state: string, fields: PlainRecord, from: string, notes: ImportNote[]): PlainRecord {
	const bounds: Readonly<Record<string, number>> = {
		instructions: longestInstructions,
		description: longestDescription,
	};
	const within = (value: Plain, key: string): Plain => {
		const max = bounds[key];
		if (max === undefined || typeof value !== "string" || value.length <= max) return value;
		notes.push(
			importNote(state, `its ${key} are longer than ${max} characters; the rest is only in ${basename(from)}`),
		);
		return cut(value, max);
	};
	return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, within(value, key)]));
}

function cut(text: string, max: number): string {
	return text.length <= max ? text : `${text.slice(0, max - 2).replace(/[\ud800-\udbff]$/, "")} …`;
}
