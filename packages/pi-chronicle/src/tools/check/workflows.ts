// Checks workflows. Each finding includes the diagnostics of the workflow file and of its phases.
import { dirname, sep } from "node:path";
import { type Diagnostic, foreignCode, sortDiagnostics } from "@pi-chronicle/core/definition";
import { type Project, usableModels, workerSettings } from "../../local/index.ts";
import { BUILT_IN_TOOLS } from "../../persona/index.ts";
import {
	type Catalogue,
	checkModelNames,
	emptyBlacklistEntries,
	loadCatalogue,
	type WorkflowDefinition,
	workflowRoots,
} from "../../workflow/index.ts";
import { loadInstructionChecks } from "../rehearsal/index.ts";
import { type CheckFinding, type ForeignFile, foreignOf, type Inspection, isSound } from "./finding.ts";

export function inspectWorkflows({ place }: Project): Promise<Inspection> {
	const { cwd, agentFolder, trust } = place;
	const roots = workflowRoots({ agentDir: agentFolder, cwd, trusted: trust === "trusted" });
	return inspectCatalogue(loadCatalogue(roots), place);
}

/** Checks the workflow whose `workflow.yaml` is `file`, in any folder. */
export async function inspectWorkflowFile({ place }: Project, file: string): Promise<Inspection> {
	const root = dirname(dirname(file));
	const found = await inspectCatalogue(loadCatalogue({ globalRoot: root, projectRoot: undefined }), place);
	const isMeant = (each: { readonly file: string }): boolean => each.file === file;
	return { findings: found.findings.filter(isMeant), foreign: found.foreign.filter(isMeant), further: [] };
}

async function inspectCatalogue(catalogue: Catalogue, place: Project["place"]): Promise<Inspection> {
	const { checkPhaseInstructions } = await loadInstructionChecks();
	const { rejected } = catalogue;
	const own = [...catalogue.definitions.values()].filter(({ tier }) => tier !== "shipped");
	const misspelt = emptyBlacklistEntries(catalogue, own, BUILT_IN_TOOLS, "misspelt");
	const names = catalogue.mentions.some(({ of }) => of === "model");
	const unnamed = names ? checkModelNames(catalogue, await usableModels(place), workerSettings(place).roles) : [];
	const unmet = own.flatMap(checkPhaseInstructions);
	const left = new Set(sortDiagnostics([...catalogue.diagnostics, ...misspelt, ...unnamed, ...unmet]));
	const take = (files: ReadonlySet<string>, folder: string | undefined): Diagnostic[] => {
		const taken = [...left].filter(
			({ file }) => files.has(file) || (folder !== undefined && file.startsWith(`${folder}${sep}`)),
		);
		for (const each of taken) left.delete(each);
		return taken;
	};
	const findings: CheckFinding[] = [];
	const foreign: ForeignFile[] = [];
	for (const { key, file, diagnostics } of rejected.values()) {
		const all = [...new Set([...diagnostics, ...take(new Set([file]), dirname(file))])];
		const [other] = all.filter(({ code }) => code === foreignCode);
		if (other && all.every((each) => each === other || each.code === "hides-global")) foreign.push(foreignOf(other));
		else findings.push({ kind: "workflow", name: key, file, loads: false, diagnostics: all });
	}
	for (const definition of own) {
		const { key, file } = definition;
		const diagnostics = take(definitionFiles(definition), dirname(file));
		findings.push({ kind: "workflow", name: key, file, loads: isSound(diagnostics), diagnostics });
	}
	const further = [...left];
	foreign.push(...further.filter(({ code }) => code === foreignCode).map(foreignOf));
	return { findings, foreign, further: further.filter(({ code }) => code !== foreignCode) };
}

/** The workflow's own file and its phase files, which may be in other folders. */
function definitionFiles({ file, entries }: WorkflowDefinition): ReadonlySet<string> {
	return new Set([file, ...entries.flatMap((entry) => (entry.kind === "phase" ? [entry.file] : []))]);
}
