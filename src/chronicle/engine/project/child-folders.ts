// The copies of the project that children work in: where their folders are, and what their workers may not change.
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { deepestRealPath, folderNames, usedBytes } from "../../../disk/index.ts";
import { isWithin } from "../../../safety/index.ts";
import type { ChildFolder, LedgerStore, WorkerLauncher, WorkingCopy } from "../../core/index.ts";
import { logCopyPath, pathsOf } from "../ledger/index.ts";
import { type ProjectEnvironment, workerSettings } from "../worker/index.ts";
import { findCopy, findOutsideFolder, outsideFolder, readOwner, removeOutsideFolder } from "../workspace/index.ts";
import { logCopiesFolder, projectFolderName } from "./project-folder-name.ts";

export interface ChildFoldersPlace {
	/** The project's folder. */
	readonly cwd: string;
	readonly agentFolder: string;
	/** The setting `childFolders`; `undefined`: not set. */
	readonly childFolders: string | undefined;
}

/** The folder of all folders of children on this machine: of every project, or as the setting says. */
function childFoldersRoot({ cwd, agentFolder, childFolders }: ChildFoldersPlace): string {
	const standard = join(agentFolder, "chronicle", "work");
	if (childFolders === undefined || !isAbsolute(childFolders)) return standard;
	// Programs that look upward must not find the project.
	return isWithin(deepestRealPath(childFolders), deepestRealPath(cwd)) ? standard : childFolders;
}

/** The folder of the folders of a project's children. */
function projectChildrenFolder(place: ChildFoldersPlace): string {
	return join(childFoldersRoot(place), projectFolderName(place.cwd));
}

/** Where the folder of the children of run `id` is made. */
export function runChildrenFolder(place: ChildFoldersPlace, id: string): string {
	return join(projectChildrenFolder(place), id.slice(0, 13));
}

/** The copy of the project in the folder of a child whose parent works in the copy `outer`, or in the project itself. */
export function copyOf(
	{ root, source }: Pick<ChildFolder, "root" | "source">,
	outer: WorkingCopy | undefined,
): WorkingCopy {
	// What is next to the files is removed with them, and has those of siblings.
	const closed = [dirname(dirname(root))];
	if (!outer) return { root, project: source, closed };
	return { root, project: outer.project, closed: [...closed, ...outer.closed, outer.root] };
}

/** The copy in the folder `cwd` of a child of the run with the private folder `folder`; `undefined` if it is no child's. */
export async function nestedCopy(
	folder: string,
	cwd: string,
	outer: WorkingCopy | undefined,
): Promise<WorkingCopy | undefined> {
	const found = await findCopy(folder, cwd).catch(() => undefined);
	return found && copyOf(found, outer);
}

/** The launcher of workers that work in the copy. */
export function launchInCopy(launcher: WorkerLauncher, copy: WorkingCopy): WorkerLauncher {
	return {
		...launcher,
		launch: (order, host, signal) => launcher.launch({ ...order, copy }, host, signal),
		keepReady: (order) => launcher.keepReady(order && { ...order, copy }),
	};
}

/** The store of the runs of `sessions`, whose runs are opened and removed with the folders of their children. */
export function withChildFolders(store: LedgerStore, sessions: string, place: ProjectEnvironment): LedgerStore {
	return {
		...store,
		async open(id) {
			const opened = await store.open(id);
			if (!opened.ok) return opened;
			const { childFolders } = workerSettings(place);
			const places = [childFolders, undefined].map((each) => runChildrenFolder({ ...place, childFolders: each }, id));
			await findOutsideFolder(opened.value.folder, places);
			return opened;
		},
		async remove(id) {
			const outside = outsideFolder(join(sessions, id));
			const removed = await store.remove(id);
			if (!removed.ok || outside === undefined) return removed;
			const bytes = removed.value.bytes + (await usedBytes(outside));
			await removeOutsideFolder(outside);
			return { ok: true, value: { bytes } };
		},
	};
}

/** Folders of children whose run does not exist any more. */
export interface OrphanedChildFolders {
	/** Their run was removed. A run whose files in the project were deleted continues with them. */
	readonly removed: readonly string[];
	/** The project is not where it was: it was removed or moved. */
	readonly moved: readonly string[];
}

/** Finds the folders of children without a run, of all projects that keep them in the same folder as this one. */
export function orphanedChildFolders(place: Omit<ProjectEnvironment, "pi">): OrphanedChildFolders {
	const root = childFoldersRoot({ ...place, childFolders: workerSettings(place).childFolders });
	const removed: string[] = [];
	const moved: string[] = [];
	for (const project of folderNames(root)) {
		for (const name of folderNames(join(root, project))) {
			const folder = join(root, project, name);
			const owner = readOwner(folder);
			if (!owner || existsSync(owner.folder)) continue;
			const projectFolder = dirname(dirname(dirname(dirname(owner.folder))));
			const copies = { folder: logCopiesFolder(place.agentFolder, projectFolder) };
			if (existsSync(logCopyPath(copies, pathsOf(dirname(owner.folder), owner.run)))) continue;
			(existsSync(projectFolder) ? removed : moved).push(folder);
		}
	}
	return { removed, moved };
}
