// A saved sequence: a YAML file in the project's `.pi/sequences`, written by `/sequence save` or by hand. The same table generates the
// reader, the JSON Schema and the reference in the documentation.
// One pass finds every problem, each with line and column; a file with an error yields no sequence.

import {
	choice,
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
	onError: choice(["stop", "continue", "retry"], {
		fallback: "stop",
		empty: "error",
		about:
			"What follows a step that [fails](#steps-that-fail): `stop` ends the sequence, `continue` starts the next run, `retry` repeats the step once.",
	}),
	until: text({
		form: "line",
		max: 8000,
		about:
			"A shell command that runs after each run, such as `npm test`: when it succeeds, [no further run follows](#until).",
	}),
	untilText: text({
		max: 2000,
		about: "A text: when the agent's answers in a run contain it, no further run follows.",
	}),
} satisfies Fields;

export interface SequenceFile {
	readonly description: string | undefined;
	/** As typed; never empty. */
	readonly steps: readonly string[];
	readonly runs: number;
	/** USD. */
	readonly maxCost: number | undefined;
	/** What follows a step that fails. */
	readonly onError: "stop" | "continue" | "retry";
	/** A command whose success ends the runs. */
	readonly until: string | undefined;
	/** A text in an answer that ends the runs. */
	readonly untilText: string | undefined;
}

/** What the file says about the repetition. */
export type RepeatRules = Pick<SequenceFile, "onError" | "until" | "untilText">;

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
	const { until, untilText, runs } = group.kind === "failed" ? group.partial : group.values;
	if ((until ?? untilText) !== undefined && runs === 1)
		report.warn(source.place(root.entries.get(until === undefined ? "untilText" : "until")?.keyStart ?? 0), {
			code: "no-effect",
			message: "`until` and `untilText` end a repetition, but the sequence runs once.",
			remedy: "Write the maximum number of runs: `runs: 10`.",
		});
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
