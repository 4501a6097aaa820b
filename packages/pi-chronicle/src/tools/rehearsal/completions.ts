// Completions after `/rehearse `: the names of workflows and chronicles, with their kind if both kinds have the name.
import { templateFolders, templateNames } from "../../local/index.ts";
import { agentFolder } from "../../pi/index.ts";
import { loadCatalogue, workflowRoots } from "../../workflow/index.ts";
import type { RehearsalSession } from "./command.ts";

/** Names of definitions that begin with `prefix`; `null` if there are none. */
export function completeRehearse(
	{ project }: RehearsalSession,
	prefix: string,
): { value: string; label: string }[] | null {
	if (!project?.trusted) return null;
	const { commands } = loadCatalogue(workflowRoots({ agentDir: agentFolder(), ...project }));
	const workflows = [...commands].filter(([, { show }]) => show === "user").map(([name]) => name);
	const chronicles = templateNames(templateFolders({ ...project, agentFolder: agentFolder() })).map(({ key }) => key);
	const both = workflows.filter((name) => chronicles.includes(name));
	const names = [
		...[...workflows, ...chronicles].filter((name) => !both.includes(name)),
		...both.flatMap((name) => [`workflow ${name}`, `chronicle ${name}`]),
	];
	const found = names.sort().filter((name) => name.startsWith(prefix));
	return found.length === 0 ? null : found.map((name) => ({ value: name, label: name }));
}
