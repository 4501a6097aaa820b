// The JSON Schema of template files and their reference tables, both derived from the fields.
import { type JsonSchema, objectSchema, referenceTable } from "../../../definition/index.ts";
import { branchFields, childrenFields } from "./children-fields.ts";
import { cleanupFields } from "./cleanup.ts";
import { limitFields, stateFields, templateFields } from "./fields.ts";

/** The schema that a template's `$schema` refers to. */
export function templateSchema(): JsonSchema {
	const template = objectSchema(templateFields);
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Chronicle template",
		description: "States that agents work through one after another.",
		...template,
		properties: { $schema: { type: "string" }, ...(template.properties as JsonSchema) },
		$defs: {
			state: objectSchema(stateFields),
			branch: objectSchema(branchFields),
			cleanup: objectSchema(cleanupFields),
		},
	};
}

/** Markdown lines of the tables in the documentation. */
export function templateTables(): Record<"template" | "limits" | "state" | "children" | "cleanup", string[]> {
	return {
		template: referenceTable(templateFields),
		limits: referenceTable(limitFields),
		state: referenceTable(stateFields),
		children: referenceTable(childrenFields),
		cleanup: referenceTable(cleanupFields),
	};
}
