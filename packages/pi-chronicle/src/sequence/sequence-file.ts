// A saved sequence: a YAML file in the project's `.pi/sequences`, written by `/sequence save` or by hand. The same table generates the
// reader, the JSON Schema and the reference in the documentation.
// One pass finds every problem, each with line and column; a file with an error yields no sequence.

import {
	type Diagnostic,
	type Fields,
	integer,
	list,
	number,
	openReport,
	parseYaml,
	readObject,
	readSource,
	sortDiagnostics,
	text,
} from "@pi-chronicle/core/definition";
import { parseDocument, stringify } from "yaml";

export const sequenceFields = {
	description: text({
		form: "line",
		max: 200,
		about: "Purpose of the sequence, in one line; `/sequence list` shows it.",
	}),
	steps: list(text({ required: true, about: "A step, as typed in the recorder. Several lines can form one step." }), {
		required: true,
		min: 1,
		about: "The [steps](#record) in order.",
	}),
	runs: integer({
		min: 1,
		max: 999_999,
		fallback: 1,
		about: "Number of runs, unless `/sequence run` specifies it.",
	}),
	maxCost: number({
		min: 0,
		shown: "no limit",
		empty: "error",
		about: "Maximum cost of all runs together, in USD. `--max-cost` overrides it.",
	}),
} satisfies Fields;

export interface SequenceFile {
	readonly description: string | undefined;
	/** As typed; never empty. */
	readonly steps: readonly string[];
	readonly runs: number;
	/** USD. */
	readonly maxCost: number | undefined;
}

/** Reads the file at `path` (absolute). The sequence is `undefined` if a diagnostic is an error. */
export function readSequenceFile(path: string): {
	readonly sequence: SequenceFile | undefined;
	readonly diagnostics: readonly Diagnostic[];
} {
	const read = readSource(path);
	if (read.kind === "absent") return { sequence: undefined, diagnostics: [] };
	if (read.kind === "problem") return { sequence: undefined, diagnostics: [read.diagnostic] };
	const { source } = read;
	const { root, diagnostics } = parseYaml(source);
	const report = openReport();
	if (root?.kind !== "map") {
		if (diagnostics.length === 0)
			report.error(source.place(root?.start ?? 0), {
				code: "not-a-sequence",
				message: "The file is not a sequence.",
				remedy: "Write `steps:` and below it one step per line, each starting with `- `.",
			});
		return { sequence: undefined, diagnostics: [...diagnostics, ...report.diagnostics] };
	}
	const group = readObject(root, sequenceFields, { source, report, path: "" }, { unknown: () => "error" });
	const found = sortDiagnostics([...diagnostics, ...report.diagnostics]);
	const isBad = group.kind === "failed" || found.some(({ severity }) => severity === "error");
	return { sequence: isBad ? undefined : group.values, diagnostics: found };
}

/** The text of a new file. */
export function sequenceText(steps: readonly string[]): string {
	return `# Run with /sequence run, edit with /sequence edit. See docs/sequences.md of pi-chronicle.\n${stringify({ steps }, { lineWidth: 0 })}`;
}

/** Replaces the steps in `text`; comments and other fields stay. Text that is not valid YAML is rewritten. */
export function replaceSteps(text: string, steps: readonly string[]): string {
	const document = parseDocument(text);
	if (document.errors.length > 0) return sequenceText(steps);
	document.set("steps", document.createNode(steps));
	return document.toString({ lineWidth: 0 });
}
