// Checks chronicle templates: that each one loads, and that everything its states name exists.
import { basename, extname } from "node:path";
import { type CheckedFile, checkTemplates, type Project } from "../chronicle/index.ts";
import {
	type Diagnostic,
	foreignCode,
	type MapEntry,
	type Node,
	type Place,
	parseJson,
	parseYaml,
	readSource,
	sortDiagnostics,
} from "../definition/index.ts";
import { type CheckFinding, type ForeignFile, foreignOf, type Inspection } from "./finding.ts";

/** Checks the templates with these paths or names; without names, all templates. */
export async function inspectTemplates(project: Project, names: readonly string[]): Promise<Inspection> {
	const { files } = await checkTemplates(project, names);
	const foreign: ForeignFile[] = [];
	const findings: CheckFinding[] = [];
	for (const checked of files) {
		const { file, loads } = checked;
		const [other] = checked.diagnostics.filter(({ code }) => code === foreignCode);
		const diagnostics = sortDiagnostics([...checked.diagnostics, ...problemsOf(checked)]);
		if (other) foreign.push(foreignOf(other));
		else findings.push({ kind: "template", name: basename(file, extname(file)), file, loads, diagnostics });
	}
	return { findings, foreign, further: names.length === 0 ? folderProblems(project) : [] };
}

/** Diagnostics about the template folders themselves. */
function folderProblems(project: Project): readonly Diagnostic[] {
	return project.templates().diagnostics.filter(({ code }) => code === "no-folder");
}

function problemsOf({ file, problems }: CheckedFile): Diagnostic[] {
	if (problems.length === 0) return [];
	const placeOf = openPlaces(file);
	return problems.map(({ state, severity, message, remedy }) => ({
		...placeOf(state),
		severity,
		code: "missing",
		message: `${state}: ${message}`,
		remedy,
	}));
}

/** Finds a state's place in the template `file`: its `agent` or `persona` field, otherwise the start of the state. */
function openPlaces(file: string): (state: string) => Place {
	const read = readSource(file);
	if (read.kind !== "text") return () => ({ file });
	const { source } = read;
	const { root } = /\.ya?ml$/i.test(file) ? parseYaml(source) : parseJson(source);
	const states = entriesOf(root)?.get("states")?.value;
	return (name) => {
		const state = entriesOf(states)?.get(name);
		if (!state) return { file };
		const fields = entriesOf(state.value);
		const who = fields?.get("agent") ?? fields?.get("persona");
		return source.place(who?.value.start ?? state.keyStart);
	};
}

function entriesOf(node: Node | undefined): ReadonlyMap<string, MapEntry> | undefined {
	return node?.kind === "map" ? node.entries : undefined;
}
