// Validates a worker's output against the JSON Schema of its state. Imported on first use.
// The result arrives within a second: expressions and nested alternatives of a schema cannot block the supervisor; output that cannot
// be validated does not match.

import { createContext, Script } from "node:vm";
import { errorMessage } from "@pi-chronicle/core/definition";
import { cutText, OUTPUT_BYTES, outputBytes, unwrapJson } from "@pi-chronicle/core/snapshot";
import type { OutputSchema } from "@pi-chronicle/core/template";
import { Errors } from "typebox-validator/schema";

export type OutputChecked =
	| { readonly kind: "fits"; readonly data: unknown }
	/** One sentence for the model per mistake, with its path. */
	| { readonly kind: "misfit"; readonly problems: readonly string[] };

type SchemaError = ReturnType<typeof Errors>[1][number];

const limitMs = 1000;
/** The validator stops after this many mistakes. */
const maxErrors = 8;
const problemBytes = 400;

/** Checks data as a model sends it. Some models send an object as its JSON text. */
export function checkOutput(schema: OutputSchema, given: unknown, ms = limitMs): OutputChecked {
	if (given === undefined)
		return invalidOutput(["`data` is missing: this state hands over data with every move to another state."]);
	const bytes = outputBytes(given);
	if (bytes > OUTPUT_BYTES)
		return invalidOutput([
			`The data has ${bytes} bytes of JSON, but the limit is ${OUTPUT_BYTES}: shorten its texts or lists.`,
		]);
	const problems = outputProblems(schema, given, ms);
	if (problems.length === 0) return { kind: "fits", data: given };
	const unwrapped = unwrapJson(given);
	if (unwrapped === given) return invalidOutput(problems);
	const inner = outputProblems(schema, unwrapped, ms);
	return inner.length === 0 ? { kind: "fits", data: unwrapped } : invalidOutput(inner);
}

function invalidOutput(problems: readonly string[]): OutputChecked {
	return { kind: "misfit", problems: problems.map((problem) => cutText(problem, problemBytes).text) };
}

function outputProblems(schema: OutputSchema, data: unknown, ms: number): readonly string[] {
	try {
		const plain = withoutPrototypes(data);
		const [fits, errors] = withinTime(() => Errors(schema, plain), ms);
		if (fits) return [];
		const mistakes = [...new Set(errors.filter(isLeaf).map(describeError))];
		if (mistakes.length === 0) return ["The data does not match the schema."];
		return errors.length < maxErrors ? mistakes : [...mistakes, "There may be more errors."];
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
			return [
				"The data could not be checked in time: an expression of the schema takes too long on one of its strings. Shorten the strings.",
			];
		return [`The data could not be checked: ${errorMessage(error)}`];
	}
}

/** The same data, whose objects have only own fields: a required `constructor` must be present too. */
function withoutPrototypes(data: unknown): unknown {
	return JSON.parse(JSON.stringify(data), (_, value: unknown) =>
		typeof value === "object" && value !== null && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value,
	);
}

/** Runs synchronous work that may take very long, under a time limit. */
function withinTime<T>(work: () => T, ms: number): T {
	return new Script("work()").runInContext(createContext({ work }), { timeout: ms }) as T;
}

/** Whether the error names a mistake; other errors only refer to one at a deeper level. */
function isLeaf({ keyword }: SchemaError): boolean {
	return keyword !== "additionalProperties" && keyword !== "propertyNames" && keyword !== "if";
}

function describeError(error: SchemaError): string {
	const { instancePath, message, keyword, params } = error;
	const at = pathText(instancePath);
	switch (keyword) {
		case "required":
			return `${at} lacks ${quotedAll((params as { requiredProperties: readonly string[] }).requiredProperties)}.`;
		case "boolean":
			return `${at} is not allowed.`;
		case "enum":
			return `${at} must be one of ${JSON.stringify((params as { allowedValues: readonly unknown[] }).allowedValues)}.`;
		case "const":
			return `${at} must be ${JSON.stringify((params as { allowedValue: unknown }).allowedValue)}.`;
		default:
			return `${at} ${message}.`;
	}
}

function quotedAll(names: readonly string[]): string {
	return names.map((name) => `"${name}"`).join(", ");
}

/** `/list/0/a~1b` → `data.list[0]["a/b"]`. */
function pathText(pointer: string): string {
	const steps = pointer
		.split("/")
		.slice(1)
		.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
	const words = steps.map((step) =>
		/^\d+$/.test(step) ? `[${step}]` : /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`,
	);
	return `data${words.join("")}`;
}
