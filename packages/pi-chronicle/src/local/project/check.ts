// Checks templates and the agents, models, skills, extensions and rules that they name. Starts at most one pi that lists models, and one per set of
// extensions.
import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Diagnostic, didYouMean, sortDiagnostics } from "@pi-chronicle/core/definition";
import type { LaunchProblem } from "@pi-chronicle/core/ports";
import { loadAgentRegistry } from "../../persona/index.ts";
import type { Project } from "./project.ts";
import { isLoaded } from "./start.ts";
import { type FoundTemplate, readTemplateFile } from "./template-catalogue.ts";
import { templateFolders } from "./template-files.ts";
import { checkTree } from "./template-tree.ts";

export interface CheckedFile {
	/** Absolute. */
	readonly file: string;
	/** A run can start from it now. */
	readonly loads: boolean;
	readonly diagnostics: readonly Diagnostic[];
	/** Missing or unsuitable things that its states name. */
	readonly problems: readonly LaunchProblem[];
}

export interface Check {
	readonly files: readonly CheckedFile[];
	/** Problems of agent files and teams, whether or not a template names them. Only if everything is checked. */
	readonly agents: readonly Diagnostic[];
	/** The project has templates that were not read because the user does not trust it. */
	readonly unread: boolean;
	/** Every file loads, and none was omitted. */
	readonly sound: boolean;
}

/** Checks the templates in `names`, given by path or name; without names, all of the project's. */
export async function checkTemplates(project: Project, names: readonly string[]): Promise<Check> {
	const launcher = project.launcher();
	const catalogue = project.templates();
	const found = names.length === 0 ? catalogue.files : names.map((name) => findTemplateFile(project, name));
	const files: CheckedFile[] = [];
	for (const each of found) {
		const template = each.read?.template ?? each.partial;
		const problems = template
			? (
					await checkTree(launcher, { ...each, read: { template } }, catalogue, {
						cwd: project.place.cwd,
						ceilings: "checked",
					})
				).problems
			: [];
		const loads = isLoaded(each) && !problems.some(({ severity }) => severity === "error");
		files.push({ file: each.file, loads, diagnostics: each.diagnostics, problems });
	}
	const { cwd, trust, agentFolder, home } = project.place;
	const agents = names.length === 0 ? loadAgentRegistry({ cwd, project: trust, agentFolder, home }).diagnostics : [];
	const folder = templateFolders({ cwd, agentFolder, trusted: true }).project;
	const unread = names.length === 0 && trust === "untrusted" && folder !== undefined && existsSync(folder);
	return { files, agents: sortDiagnostics(agents), unread, sound: !unread && files.every(({ loads }) => loads) };
}

function findTemplateFile(project: Project, name: string): FoundTemplate {
	const path = resolve(project.place.cwd, name);
	const { templates } = project.templates();
	const found = (isReadableFile(path) ? undefined : templates.get(name)) ?? readTemplateFile(path, "project");
	if (found) return found;
	const message = `There is neither a file nor a template called ${basename(name)}.${didYouMean(name, templates.keys())}`;
	const missing = { severity: "error", code: "absent", file: path, message, remedy: "Check the name." } as const;
	return { key: name, tier: "project", file: path, read: undefined, diagnostics: [missing] };
}

function isReadableFile(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
	} catch {
		// A cyclic link, or a folder without permission: reading it reports the problem.
		return false;
	}
}

/** What a check of a file found that its text alone does not show, as diagnostics. */
export function launchDiagnostics({ file, problems }: CheckedFile): Diagnostic[] {
	return problems.map(({ state, severity, message, remedy, place = { file } }) => ({
		...place,
		severity,
		code: "missing",
		message: `${state}: ${message}`,
		remedy,
	}));
}
