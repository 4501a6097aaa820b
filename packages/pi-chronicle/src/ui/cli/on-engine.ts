// The project on the engine that the options or the settings name; without one, the local project.
import { engineSetting, type Project } from "../../local/index.ts";
import { type Complaint, engineComplaint } from "../commands/index.ts";
import { loadEngine } from "../load-engine.ts";

/** `report`: called with a sentence when the git remote keeps a command waiting. */
export async function onEngine(
	project: Project,
	values: Readonly<Record<string, string>>,
	report: (text: string) => void,
): Promise<Project | Complaint> {
	const setting = engineSetting(values, project.place);
	if (!setting) return project;
	const engine = await loadEngine();
	if (!engine.ok) return engineComplaint(engine.failure);
	const opened = await engine.value.openEngineProject(project, { ...setting, report });
	return opened.ok ? opened.value : engineComplaint(opened.failure);
}
