// The copies of the project that children work in: where their folders are, and what their workers may not change.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { copyId } from "@pi-chronicle/core/machine";
import type { ChildFolder, LedgerStore, ReadLedger, WorkerLauncher, WorkingCopy } from "@pi-chronicle/core/ports";
import { deepestRealPath, folderNames, usedBytes } from "../../disk/index.ts";
import { isWithin } from "../../safety/index.ts";
import { logCopiesRoot, logCopyPath, pathsOf } from "../ledger/index.ts";
import { type ProjectEnvironment, workerSettings } from "../worker/index.ts";
import {
	childFolderName,
	childrenFolders,
	findCopy,
	findOutsideFolder,
	outsideFolder,
	readOwner,
	removeOutsideFolder,
} from "../workspace/index.ts";

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

/** The places where the folder of the children of run `id` can be: as the setting says, or where it was made without one. */
export function childrenPlaces(place: ProjectEnvironment, id: string): readonly string[] {
	const { childFolders } = workerSettings(place);
	return [childFolders, undefined].map((each) => runChildrenFolder({ ...place, childFolders: each }, id));
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
	if (found && found.root === outer?.root) return outer;
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
			await findOutsideFolder(opened.value.folder, childrenPlaces(place, id));
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

/** `my-app-1f2e3d4c`. `cwd`: the project's folder. */
function projectFolderName(cwd: string): string {
	const real = deepestRealPath(cwd);
	const name = basename(real)
		.normalize("NFKD")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-+|-+$/g, "")
		.slice(0, 20)
		.replace(/-$/, "");
	const hash = createHash("sha256").update(real).digest("hex").slice(0, 8);
	return name === "" ? hash : `${name}-${hash}`;
}

/** The folder of the copies of a project's logs. `cwd`: the project's folder. */
export function logCopiesFolder(agentFolder: string, cwd: string): string {
	return join(logCopiesRoot(agentFolder), projectFolderName(cwd));
}

export interface KeptFolders {
	/** The folder with all of them, absolute. */
	readonly path: string;
	readonly folders: number;
	readonly bytes: number;
}

/** The folders of children that the run does not need any more; `undefined` if there are none. */
export async function keptFolders({
	folder,
	run,
}: Pick<ReadLedger, "folder" | "run">): Promise<KeptFolders | undefined> {
	const children = [run.children, run.candidates?.group].flatMap((group) => group?.children ?? []);
	const folders = [copyId(run.id), ...children.map(({ id }) => id)];
	const needed = new Set(folders.flatMap((id) => [id, childFolderName(id)]));
	for (const path of childrenFolders(folder)) {
		const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
		const kept = entries.filter(
			(entry) => entry.isDirectory() && !entry.name.startsWith(".") && !needed.has(entry.name),
		);
		if (kept.length === 0) continue;
		const sizes = await Promise.all(kept.map(({ name }) => usedBytes(join(path, name))));
		return { path, folders: kept.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
	}
	return undefined;
}
