// Generated from the field tables of templates, workflows and scenarios: the JSON Schemas in schemas/ and the tables in the documentation.
// Tests compare both with this output, so neither can drift.

import { type JsonSchema, objectSchema } from "@pi-chronicle/core/definition";
import { branchFields, childrenFields, orderFields } from "../packages/core/src/template/children-fields.ts";
import { cleanupFields } from "../packages/core/src/template/cleanup.ts";
import { limitFields, stateFields, templateFields } from "../packages/core/src/template/fields.ts";
import { comparisonSchema } from "../packages/core/src/template/next-field.ts";
import { noticeKinds } from "../packages/pi-chronicle/src/local/notice-outbox/kind.ts";
import { sequenceFields } from "../packages/pi-chronicle/src/sequence/sequence-file.ts";
import { cueFields, scenarioFields } from "../packages/pi-chronicle/src/tools/rehearsal/scenario-file.ts";
import { phaseFields, workflowFields } from "../packages/pi-chronicle/src/workflow/definitions/fields.ts";
import { variables } from "../packages/pi-chronicle/src/workflow/definitions/variables.ts";
import { referenceTable } from "./reference-table.ts";

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
			state_branch: objectSchema({ ...stateFields, ...orderFields }),
			cleanup: objectSchema(cleanupFields),
			comparison: comparisonSchema,
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

/** The content of schemas/scenario.schema.json. */
export function scenarioSchema(): Record<string, unknown> {
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "scenario",
		description: "The understudy's messages and calls in a rehearsal of pi-chronicle.",
		...objectSchema(scenarioFields),
	};
}

/** The generated tables of docs/rehearsal.md, as Markdown lines, by the name in their markers. */
export function scenarioTables(): Record<"scenario" | "cue", string[]> {
	return { scenario: referenceTable(scenarioFields), cue: referenceTable(cueFields) };
}

/** The content of schemas/sequence.schema.json. */
export function sequenceSchema(): Record<string, unknown> {
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "sequence",
		description: "A sequence of prompts and commands that pi-chronicle replays.",
		...objectSchema(sequenceFields),
	};
}

/** The generated table of docs/sequences.md, as Markdown lines. */
export function sequenceTable(): string[] {
	return referenceTable(sequenceFields);
}

/** The kinds of notices as a Markdown table. */
export function noticeKindsTable(): readonly string[] {
	return [
		"| kind | tells |",
		"|---|---|",
		...Object.entries(noticeKinds).map(([kind, about]) => `| \`${kind}\` | ${about} |`),
	];
}
