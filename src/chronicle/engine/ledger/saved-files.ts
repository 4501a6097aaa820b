// The saved files of a run with children: outside the project, next to the copy of its log, because the folders of its children are outside too.
// What deletes ignored files (`git clean -x`) then deletes neither what the children have made nor what it is compared and merged with.
// V1 the run's private folder has a link to them; V2 saved files that are already in the private folder stay there.
import { lstat, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder, undefinedIfMissing } from "../../../disk/index.ts";
import type { Run } from "../../core/index.ts";
import type { RunPaths } from "./layout.ts";
import { type CopiesPlace, savedFilesPath } from "./log-copy.ts";

/** Links the private folder of a run to its saved files, if it can have children. Without the link, the files are saved in the private folder. */
export async function linkSavedFiles(
	paths: RunPaths,
	copies: CopiesPlace | undefined,
	{ plan, parent }: Pick<Run, "plan" | "parent">,
): Promise<void> {
	// A child uses the saved files of the first run.
	if (!copies || parent !== null || ![...plan.states.values()].some(({ children }) => children)) return;
	const link = join(paths.folder, "files");
	if (await stat(link).catch(undefinedIfMissing)) return;
	const outside = savedFilesPath(copies, paths);
	try {
		await makePrivateFolder(outside);
		if (await lstat(link).catch(undefinedIfMissing)) await rm(link);
		await symlink(outside, link, "junction");
	} catch {
		// A file system without links, or no room outside the project.
	}
}
