// Checks chronicle templates: their fields, what they name, and whether their instructions fit what each state's worker can have.
import { basename, extname } from "node:path";
import { type Diagnostic, foreignCode, sortDiagnostics } from "@pi-chronicle/core/definition";
import {
	type CheckedFile,
	checkTemplates,
	launchDiagnostics,
	type Project,
	readTemplateFile,
} from "../../local/index.ts";
import { loadAgentRegistry } from "../../persona/index.ts";
import { loadInstructionChecks } from "../rehearsal/index.ts";
import { type CheckFinding, type ForeignFile, foreignOf, type Inspection } from "./finding.ts";

/** Checks the templates with these paths or names; without names, all templates. */
export async function inspectTemplates(project: Project, names: readonly string[]): Promise<Inspection> {
	const { files } = await checkTemplates(project, names);
	const followable = await openInstructionCheck(project);
	const foreign: ForeignFile[] = [];
	const findings: CheckFinding[] = [];
	for (const checked of files) {
		const { file, loads } = checked;
		const [other] = checked.diagnostics.filter(({ code }) => code === foreignCode);
		const diagnostics = sortDiagnostics([
			...checked.diagnostics,
			...launchDiagnostics(checked),
			...followable(checked),
		]);
		if (other) foreign.push(foreignOf(other));
		else findings.push({ kind: "template", name: basename(file, extname(file)), file, loads, diagnostics });
	}
	return {
		findings,
		foreign,
		further: names.length === 0 ? project.templates().diagnostics.filter(({ code }) => code === "no-folder") : [],
	};
}

async function openInstructionCheck(project: Project): Promise<(checked: CheckedFile) => readonly Diagnostic[]> {
	const { aroundTemplates, checkTemplateInstructions } = await loadInstructionChecks();
	const { cwd, home, agentFolder, trust } = project.place;
	const known = project.templates();
	const registry = loadAgentRegistry({ cwd, home, agentFolder, project: trust });
	const around = aroundTemplates(registry, known.templates.values());
	return ({ file }) => {
		const found = known.files.find((each) => each.file === file) ?? readTemplateFile(file, "project");
		return found ? checkTemplateInstructions(found, around) : [];
	};
}
