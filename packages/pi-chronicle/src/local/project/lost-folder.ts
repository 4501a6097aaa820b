// A child whose own folder was removed while it waited: its last recorded files are restored, or it does not continue.
// It never continues with other files than those that its conversation describes: what it did after the last record is named to it as undone.
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import type {
	ChildFolder,
	Failure,
	LedgerStore,
	Result,
	StoreFailure,
	WorkspaceFailure,
} from "@pi-chronicle/core/ports";
import { makePrivateFolder } from "../../disk/index.ts";
import { findChildPlace, type GitWorkspaceOptions, openGitWorkspace } from "../workspace/index.ts";

export interface ChildFoldersOptions extends Pick<GitWorkspaceOptions, "leftOut" | "scope" | "secrets"> {
	/** The private folder of the run. */
	readonly parent: string;
	/** Where the folder of its children can be: what deletes ignored files may have deleted only the pointer to it. */
	readonly places: readonly string[];
	/** The private folder of a child. */
	privateFolder(child: string): string;
}

/** The own folders of children. */
export interface ChildFolders {
	/** Whether the child's folder has its files. */
	exists(child: string): Promise<boolean>;
	/** Call before the folder is created again: until `restore` has succeeded, it counts as missing. */
	expect(child: string): Promise<void>;
	/** Sets the files of a folder that was created again, at `cwd`, to a snapshot of the child. */
	restore(child: string, cwd: string, tree: string): Promise<Result<unknown, WorkspaceFailure>>;
}

/** Marks a folder that was created again and does not have the child's files yet; in the child's private folder. */
const restoringFile = "restoring";

/** The folders of the children of a run. */
export function openChildFolders({ parent, places, privateFolder, ...files }: ChildFoldersOptions): ChildFolders {
	const mark = (child: string): string => join(privateFolder(child), restoringFile);
	return {
		exists: async (child) => !existsSync(mark(child)) && (await findChildPlace(parent, child, places)) !== undefined,
		async expect(child) {
			// It may have been deleted as well.
			await makePrivateFolder(privateFolder(child));
			await writeFile(mark(child), "", { mode: 0o600 });
		},
		async restore(child, cwd, tree) {
			const workspace = openGitWorkspace({ ...files, cwd, folder: privateFolder(child), childOf: parent });
			const restored = await workspace.restore(tree);
			if (restored.ok) await rm(mark(child), { force: true });
			return restored;
		},
	};
}

/** What is known of a child's files where its folder is missing. */
export interface LostFiles {
	/** The last recorded ones. */
	readonly tree: string;
	/** Whether the child has run calls since, so that it is set back. */
	readonly isSetBack: boolean;
}

/** Creates the folder of a child again, with its last recorded files. */
export async function restoreFolder(
	child: string,
	{ tree }: LostFiles,
	{
		folders,
		prepare,
	}: { readonly folders: ChildFolders | undefined; readonly prepare: () => Promise<Result<ChildFolder>> },
): Promise<Result<ChildFolder>> {
	await folders?.expect(child);
	const folder = await prepare();
	if (!folder.ok) return cannotRestore(child, folder.failure);
	const restored = await folders?.restore(child, folder.value.cwd, tree);
	return restored?.ok === false ? cannotRestore(child, restored.failure) : folder;
}

/** The failure where a child that is done had run calls since the record that its folder was restored from. */
export const setBackAtEnd = {
	ok: false,
	failure: {
		reason: "io",
		message: "its folder was removed before all of its files were recorded. The last recorded ones are there now.",
		remedy: "Look at them with diff; then resume, or drop it.",
	},
} as const satisfies Result<never>;

function cannotRestore(child: string, failure: Failure): Result<never> {
	if (failure.reason === "stopped") return { ok: false, failure };
	const message = `Its folder was removed and cannot be restored: ${failure.message}`;
	return { ok: false, failure: { reason: failure.reason, message, remedy: `Drop it: drop ${child.slice(0, 8)}.` } };
}

/** The files to restore; `undefined`: the folder is there. `start`: what it began with. */
export async function findLostFiles(
	child: string,
	start: string,
	store: LedgerStore,
	folders: ChildFolders | undefined,
): Promise<Result<LostFiles, StoreFailure> | undefined> {
	if (!folders || (await folders.exists(child))) return undefined;
	const read = await store.read(child);
	return read.ok ? { ok: true, value: await lastFiles(read.value.events(), start) } : read;
}

/** What the events of a run record of the files in its folder. `start`: what it began with. */
export async function lastFiles(events: AsyncIterable<LedgerEvent>, start: string): Promise<LostFiles> {
	let found: LostFiles = { tree: start, isSetBack: false };
	// What a join of the copy writes are the user's files.
	let isJoiningCopy = false;
	for await (const event of events) {
		if (event.kind === "join_requested" || event.kind === "finished" || event.kind === "moved")
			isJoiningCopy = event.kind === "join_requested";
		const tree = isJoiningCopy ? undefined : treeOf(event);
		if (tree !== undefined) found = { tree, isSetBack: false };
		else if (event.kind === "tool_started" || event.kind === "tool_ended") found = { ...found, isSetBack: true };
	}
	return found;
}

function treeOf(event: LedgerEvent): string | undefined {
	switch (event.kind) {
		case "files_measured":
		case "join_applied":
			return event.tree;
		case "files_restored":
			return event.now ?? event.tree;
		default:
			return undefined;
	}
}
