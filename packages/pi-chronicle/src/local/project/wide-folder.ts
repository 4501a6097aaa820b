// Folders that hold far more than a project: starting a run in one is asked about first.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Template } from "@pi-chronicle/core/template";
import { deepestRealPath } from "../../disk/index.ts";
import { isWithin } from "../../safety/index.ts";
import type { ProjectEnvironment } from "../worker/index.ts";

/** What the files of a run of `template` would be, if they are more than a project: `your home folder (/home/u)`; `undefined` otherwise. */
export function wideFolder(
	{ cwd, home, agentFolder }: Pick<ProjectEnvironment, "cwd" | "home" | "agentFolder">,
	{ files }: Pick<Template, "files">,
): string | undefined {
	const here = deepestRealPath(cwd);
	const root = files === "repository" ? (repositoryAbove(here) ?? here) : here;
	if (dirname(root) === root) return `the root of the file system (${root})`;
	const own = deepestRealPath(home);
	if (root === own) return `your home folder (${root})`;
	if (isWithin(own, root)) return `a folder with your home folder in it (${root})`;
	return root === deepestRealPath(agentFolder) ? `pi's agent folder (${root})` : undefined;
}

/** The nearest folder with a repository, from `folder` on. */
function repositoryAbove(folder: string): string | undefined {
	if (existsSync(join(folder, ".git"))) return folder;
	const parent = dirname(folder);
	return parent === folder ? undefined : repositoryAbove(parent);
}
