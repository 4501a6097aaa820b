// Whether templates are sound, and whether what they name is there: agents, models, skills, extensions, rules. Starts at most one pi that
// lists models, and one for each set of extensions.
import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Diagnostic, didYouMean, sortDiagnostics } from "../../../definition/index.ts";
import { loadAgentRegistry } from "../../../persona/index.ts";
import type { LaunchProblem } from "../../core/index.ts";
import type { Project } from "./project.ts";
import { isLoaded } from "./start.ts";
import { type FoundTemplate, readTemplateFile, templateFolders } from "./template-catalogue.ts";

export interface CheckedFile {
	/** Absolute. */
	readonly file: string;
	/** It can be run as things are. */
	readonly loads: boolean;
	readonly diagnostics: readonly Diagnostic[];
	/** What its states name and is not there, or is not as they want it. */
	readonly problems: readonly LaunchProblem[];
}

export interface Check {
	readonly files: readonly CheckedFile[];
	/** What is wrong with agent files and teams, whether or not a template names them. Only where everything is checked. */
	readonly agents: readonly Diagnostic[];
	/** The project has a folder of templates that is not read, because the person does not trust the project. */
	readonly unread: boolean;
	/** Every one of `files` loads, and none was left out. */
	readonly sound: boolean;
}

/** Checks what `names` name, a file by its path or a template by its name; without any, everything that the project offers. */
export async function checkTemplates(project: Project, names: readonly string[]): Promise<Check> {
	const launcher = project.launcher();
	const catalogue = project.templates();
	const found = names.length === 0 ? catalogue.files : names.map((name) => findFile(project, name));
	const files: CheckedFile[] = [];
	for (const each of found) {
		const problems = isLoaded(each) ? await launcher.check([...each.read.template.states.values()]) : [];
		const loads = isLoaded(each) && !problems.some(({ severity }) => severity === "error");
		files.push({ file: each.file, loads, diagnostics: each.diagnostics, problems });
	}
	const { cwd, trust, agentFolder, home } = project.place;
	const agents = names.length === 0 ? loadAgentRegistry({ cwd, project: trust, agentFolder, home }).diagnostics : [];
	const folder = templateFolders({ cwd, agentFolder, trusted: true }).project;
	const unread = names.length === 0 && trust === "untrusted" && folder !== undefined && existsSync(folder);
	return { files, agents: sortDiagnostics(agents), unread, sound: !unread && files.every(({ loads }) => loads) };
}

function findFile(project: Project, name: string): FoundTemplate {
	const path = resolve(project.place.cwd, name);
	const { templates } = project.templates();
	const found = (isFile(path) ? undefined : templates.get(name)) ?? readTemplateFile(path, "project");
	if (found) return found;
	const message = `There is neither a file nor a template called ${basename(name)}.${didYouMean(name, templates.keys())}`;
	const missing = { severity: "error", code: "absent", file: path, message, remedy: "Check its name." } as const;
	return { key: name, tier: "project", file: path, read: undefined, diagnostics: [missing] };
}

function isFile(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
	} catch {
		// A link in a circle, or a folder that nobody may enter: reading it tells what is wrong.
		return false;
	}
}
