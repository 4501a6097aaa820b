// Reads one workflow.yaml, but not its phase files or the workflows that it refers to.
import {
	type Diagnostic,
	foreignFormat,
	foreignProblem,
	type MapNode,
	openReport,
	type Place,
	parseYaml,
	quoted,
	type ReadContext,
	type Report,
	readObject,
	type Source,
	type Values,
} from "@pi-chronicle/core/definition";
import { templateTextFields, unknownWorkflowKeys, type WrittenEntry, workflowFields } from "./fields.ts";
import { checkVariables } from "./variables.ts";

export type PlacedEntry = WrittenEntry & { readonly place: Place };

export interface WorkflowRead {
	/** `undefined` if an error prevents the workflow from loading. */
	readonly fields: Values<typeof workflowFields> | undefined;
	/** The entries of `phases` that could be read, even if the file has other errors. */
	readonly entries: readonly PlacedEntry[];
	/** Place of the command name, else of the first field. */
	readonly commandPlace: Place;
	readonly diagnostics: readonly Diagnostic[];
}

/** The verbs of `/workflow`. */
export const commandWords: readonly string[] = "list check init status show pause resume next skip back reload".split(
	" ",
);

/** Reads a workflow from the text of its workflow.yaml. */
export function readWorkflow(source: Source): WorkflowRead {
	const report = openReport();
	const failed = (entries: readonly PlacedEntry[]): WorkflowRead => ({
		fields: undefined,
		entries,
		commandPlace: { file: source.file },
		diagnostics: report.diagnostics,
	});
	const root = readRootMap(source, report);
	if (!root) return failed([]);
	const reading: ReadContext = { source, report, path: "" };
	const read = readObject(root, workflowFields, reading, unknownWorkflowKeys);
	const values = read.kind === "read" ? read.values : read.partial;
	// An invalid `show` must not cause further errors.
	if (values.show === "user") requireCommand(root, values, reading);
	checkSense(root, values, reading);
	const entries = (values.phases ?? []).map((entry) => ({ ...entry, place: source.place(entry.start) }));
	if (read.kind === "failed" || report.failed) return failed(entries);
	return {
		fields: { ...read.values, sessionNamePrefix: read.values.sessionNamePrefix.replace(/\s/g, " ") },
		entries,
		commandPlace: source.place(root.entries.get("commandName")?.value.start ?? root.start),
		diagnostics: report.diagnostics,
	};
}

/** The fields of the file; `undefined` if it has none or belongs to another tool. */
function readRootMap(source: Source, report: Report): MapNode | undefined {
	const { root, diagnostics } = parseYaml(source);
	report.add(diagnostics);
	if (root?.kind !== "map") {
		if (!report.failed)
			report.error(source.place(root?.start ?? 0), {
				code: root ? "not-fields" : "empty",
				message: root ? "The file does not consist of `key: value` fields." : "The file is empty.",
				remedy: "Write `name`, `commandName`, `initialMessage` and `phases`, one field per line.",
			});
		return undefined;
	}
	const foreign = foreignFormat(root);
	if (!foreign) return root;
	report.error(source.place(root.start), foreignProblem(foreign));
	return undefined;
}

function requireCommand(
	root: MapNode,
	values: Partial<Values<typeof workflowFields>>,
	{ source, report }: ReadContext,
): void {
	for (const key of ["commandName", "initialMessage"] as const) {
		const entry = root.entries.get(key);
		const given = values[key];
		// A present but invalid value has already been reported by its reader.
		if (given === undefined ? Object.hasOwn(values, key) : given.trim() === "")
			report.error(source.place(entry?.keyStart ?? root.start), {
				code: "missing-key",
				message: `\`${key}\` is ${given === undefined ? "missing" : "empty"}, but a workflow that users can start needs it.`,
				remedy: `Give \`${key}\` a value, or write \`show: workflows\` if it only runs inside other workflows.`,
			});
	}
	const { commandName } = values;
	if (commandName !== undefined && commandName.trim() !== "" && !/^[a-zA-Z0-9_-]+$/.test(commandName))
		report.error(source.place(root.entries.get("commandName")?.value.start ?? root.start), {
			code: "bad-value",
			message: `\`commandName\` is ${quoted(commandName)}, but only letters from a to z, digits, \`-\` and \`_\` are allowed${/^\s|\s$/.test(commandName) ? ", without surrounding spaces" : ""}.`,
			remedy: `Write \`${commandLike(commandName)}\`.`,
		});
}

/** The valid command name closest to the given text: `/über uns` → `uber-uns`. */
function commandLike(written: string): string {
	const plain = written.normalize("NFKD").replace(/\p{M}/gu, "");
	return plain.replace(/[^a-zA-Z0-9_-]+/g, "-").replace(/^-+|-+$/g, "") || "my-workflow";
}

function checkSense(root: MapNode, values: Partial<Values<typeof workflowFields>>, reading: ReadContext): void {
	const { source, report } = reading;
	const at = (key: string): Place => source.place(root.entries.get(key)?.value.start ?? root.start);
	if (values.loopable === false && values.maxLoops !== undefined)
		report.warn(at("maxLoops"), {
			code: "no-effect",
			message: "`maxLoops` has no effect with `loopable: false`.",
			remedy: "Remove one.",
		});
	if (values.commandName?.startsWith("--") && commandWords.includes(values.commandName.slice(2)))
		report.warn(at("commandName"), {
			code: "command-word",
			message: `${quoted(values.commandName)} is a command of \`/workflow\`, so this workflow cannot be started.`,
			remedy: "Choose another `commandName`.",
		});
	if (values.commandName !== undefined && commandWords.includes(values.commandName))
		report.warn(at("commandName"), {
			code: "command-word",
			message: `${quoted(values.commandName)} is a command of \`/workflow\`: it now starts this workflow, and \`/workflow --${values.commandName}\` runs the command.`,
			remedy: "Choose another `commandName` to keep the short form of both.",
		});
	for (const key of templateTextFields) {
		const text = values[key];
		if (text !== undefined) checkVariables(text, root.entries.get(key)?.value.start ?? 0, "template", source, report);
	}
}
