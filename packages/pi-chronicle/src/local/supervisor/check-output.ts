// Loads the check of data against a schema where it is first needed: the validator is large.

/** Checks data against the JSON Schema of a state's `output`. */
export async function checkOutputData(...given: Parameters<typeof import("./output-validator.ts").checkOutput>) {
	const { checkOutput } = await import("./output-validator.ts");
	return checkOutput(...given);
}
