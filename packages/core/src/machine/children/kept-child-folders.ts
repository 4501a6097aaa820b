// Folders of children that stay after their end, because they have files that are neither joined nor in a snapshot. Pure.
// The user reads of each in a notice, and every later worker in a finding.
import { nameFiles, updateSnapshot } from "../../snapshot/index.ts";
import { notice } from "../budget/budget.ts";
import type { KeptChildFolder } from "../run/child-event.ts";
import type { Run } from "../run/run.ts";

const maxFolders = 20;

/** The run that knows of these folders. `where`: the visit whose children they are. */
export function keepFolders(
	run: Run,
	folders: readonly KeptChildFolder[],
	where: { readonly visit: number; readonly state: string },
): Run {
	const known = new Set(run.keptFolders.map(({ path }) => path));
	const added = folders.filter(({ path }) => !known.has(path));
	if (added.length === 0) return run;
	const findings = added.map((folder) => ({ text: describeKept(folder) }));
	const told = added.reduce((last, folder) => notice(last, describeKept(folder)), run);
	return {
		...told,
		keptFolders: [...run.keptFolders, ...added].slice(-maxFolders),
		snapshot: updateSnapshot(told.snapshot, { findings }, where),
	};
}

/** One sentence about a folder that stays. */
export function describeKept({ path, files, more = 0 }: KeptChildFolder): string {
	return `Not joined, kept in ${path}: ${nameFiles(files, files.length + more)}`;
}
