// Generates the JSON Schemas in schemas/ and the tables in docs/workflows.md from the field tables. A test compares both with this
// output, so neither can drift.
import { objectSchema, referenceTable } from "../../definition/index.ts";
import { phaseFields, workflowFields } from "./fields.ts";
import { variables } from "./variables.ts";

/** The JSON Schemas, by file name in schemas/. */
export function workflowSchemas(): Record<"workflow.schema.json" | "phase.schema.json", Record<string, unknown>> {
	const schema = (title: string, description: string, fields: Record<string, unknown>) => ({
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title,
		description,
		...fields,
	});
	const workflow = objectSchema(workflowFields);
	return {
		"workflow.schema.json": {
			...schema("workflow.yaml", "A workflow of pi-chronicle: an ordered list of phases.", workflow),
			if: { properties: { show: { const: "workflows" } }, required: ["show"] },
			else: {
				required: ["commandName", "initialMessage"],
				properties: {
					commandName: { pattern: "^[a-zA-Z0-9_-]+$" },
					initialMessage: { pattern: "\\S" },
				},
			},
		},
		"phase.schema.json": schema(
			"phase front matter",
			"The fields at the top of a phase file of pi-chronicle.",
			objectSchema(phaseFields),
		),
	};
}

/** The generated tables of docs/workflows.md, by marker name. */
export function workflowTables(): Record<"workflow" | "phase" | "variables", string[]> {
	const rows = [...variables].map(([name, about]) => `| \`{${name}}\` | ${about} |`);
	return {
		workflow: referenceTable(workflowFields),
		phase: referenceTable(phaseFields),
		variables: ["| variable | stands for |", "|---|---|", ...rows],
	};
}
