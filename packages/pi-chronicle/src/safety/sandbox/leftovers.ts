// What the sandbox of a worker leaves: paths that its last command made, and the home directory of a run that has ended.
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { attempt, folderEntries } from "../../disk/index.ts";
import { hostEnvironment } from "../../pi/index.ts";
import { AbsentPaths } from "./absent.ts";

/** The sandbox's folder in a run's private folder. */
export function boxFolder(run: string): string {
	return join(run, "sandbox");
}

/** Undoes what the commands of a worker that has ended have left of protected paths; `run`: the run's private folder. */
export function settleBox(run: string): void {
	attempt(() => new AbsentPaths(hostEnvironment(run), boxFolder(run)).recover());
}

/** Removes the sandbox of a run that has ended. */
export function removeBox(run: string): void {
	settleBox(run);
	const folder = boxFolder(run);
	const remove = () => rmSync(folder, { recursive: true, force: true });
	if (attempt(() => remove() ?? true)) return;
	// Stores of modules are folders without the right to write.
	attempt(() => openFolders(folder));
	attempt(remove);
}

function openFolders(folder: string): void {
	chmodSync(folder, 0o700);
	for (const entry of folderEntries(folder)) if (entry.isDirectory()) openFolders(join(folder, entry.name));
}
