// JSON Schema of template files and the tables of their reference, both from the fields.
import { groupSchema, type JsonSchema, referenceTable } from "../../definition/index.ts";
import { cleanupFields } from "./cleanup.ts";
import { limitFields, stateFields, templateFields } from "./fields.ts";

/** The schema that `$schema` of a template names. */
export function templateSchema(): JsonSchema {
	const template = groupSchema(templateFields);
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Chronicle template",
		description: "States that agents work through one after another.",
		...template,
		properties: { $schema: { type: "string" }, ...(template.properties as JsonSchema) },
		$defs: { state: groupSchema(stateFields), cleanup: groupSchema(cleanupFields) },
	};
}

/** Markdown tables of the reference, in the order in which they are read. */
export function templateReference(): { readonly title: string; readonly lines: readonly string[] }[] {
	return [
		{ title: "A template", lines: referenceTable(templateFields) },
		{ title: "Its `limits`", lines: referenceTable(limitFields) },
		{ title: "A state", lines: referenceTable(stateFields) },
		{ title: "A cleanup command", lines: referenceTable(cleanupFields) },
	];
}
