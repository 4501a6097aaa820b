// Checks chronicle templates: that each one loads, and that everything its states name exists.
import { basename, extname } from "node:path";
import { type CheckedFile, checkTemplates, type Project } from "../chronicle/index.ts";
import { type Diagnostic, foreignCode, sortDiagnostics } from "../definition/index.ts";
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
	return problems.map(({ state, severity, message, remedy, place = { file } }) => ({
		...place,
		severity,
		code: "missing",
		message: `${state}: ${message}`,
		remedy,
	}));
}
