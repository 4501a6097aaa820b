// The folders of scenarios: one file per definition.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { shippedFolder } from "../shipped/index.ts";

/** In order of precedence. */
export const scenarioEndings: readonly string[] = ["yaml", "yml", "json"];
const folders = { workflow: "workflows", chronicle: "chronicles" };

/**
 * The scenario file of a definition in a project: `.pi/rehearsals/workflows/<key>.yaml` or `.pi/rehearsals/chronicles/<name>.yaml` (`.yml`
 * and `.json` too), or `undefined`. Names that are not plain file names have none.
 */
export function findScenario(project: string, kind: keyof typeof folders, name: string): string | undefined {
	if (/[\\/]/.test(name) || name.startsWith(".")) return undefined;
	return findIn(scenarioFolder(project, kind), name);
}

/** The package's scenario file for one of its definitions. */
export function findShippedScenario(kind: keyof typeof folders, name: string): string | undefined {
	return findIn(shippedFolder(`${kind} scenarios`), name);
}

function findIn(folder: string, name: string): string | undefined {
	return scenarioEndings.map((ending) => join(folder, `${name}.${ending}`)).find((file) => existsSync(file));
}

/** The folder of a project's scenarios for one kind of definition. */
export function scenarioFolder(project: string, kind: keyof typeof folders): string {
	return join(project, ".pi", "rehearsals", folders[kind]);
}
