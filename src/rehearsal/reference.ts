// Generated from the field tables of scenarios: the JSON Schema in schemas/ and the tables in docs/rehearsal.md.
import { objectSchema, referenceTable } from "../definition/index.ts";
import { cueFields, scenarioFields } from "./scenario-file.ts";

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
