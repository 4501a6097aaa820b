// A child whose own folder was removed while it waited: its last recorded files are restored, or it does not go on.
// F1 it never goes on with other files than those that its conversation describes.
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type {
	ChildFolder,
	LedgerEvent,
	LedgerStore,
	Result,
	StoreFailure,
	WorkspaceFailure,
} from "../../core/index.ts";
import { storeFailure } from "../ledger/index.ts";
import { findChildPlace, type GitWorkspaceOptions, openGitWorkspace } from "../workspace/index.ts";

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

/** The folders of the children of the run with the private folder `parent`. */
export function openChildFolders(
	sessions: string,
	parent: string,
	options: Pick<GitWorkspaceOptions, "leftOut" | "scope" | "secrets">,
): ChildFolders {
	const mark = (child: string): string => join(sessions, child, restoringFile);
	return {
		exists: async (child) => !existsSync(mark(child)) && (await findChildPlace(parent, child)) !== undefined,
		expect: (child) => writeFile(mark(child), "", { mode: 0o600 }),
		async restore(child, cwd, tree) {
			const workspace = openGitWorkspace({ ...options, cwd, folder: join(sessions, child), childOf: parent });
			const restored = await workspace.restore(tree);
			if (restored.ok) await rm(mark(child), { force: true });
			return restored;
		},
	};
}

/** Creates the folder of a child again, with its last files. */
export async function restoreFolder(
	child: string,
	tree: string,
	{
		folders,
		prepare,
	}: { readonly folders: ChildFolders | undefined; readonly prepare: () => Promise<Result<ChildFolder>> },
): Promise<Result<ChildFolder>> {
	await folders?.expect(child);
	const folder = await prepare();
	if (!folder.ok || !folders) return folder;
	const restored = await folders.restore(child, folder.value.cwd, tree);
	return restored.ok ? folder : restored;
}

/** The snapshot to restore; `undefined`: the folder is there. Fails if the child has changed files since its last snapshot. */
export async function findLostFiles(
	child: string,
	store: LedgerStore,
	folders: ChildFolders | undefined,
): Promise<Result<string, StoreFailure> | undefined> {
	if (!folders || (await folders.exists(child))) return undefined;
	const read = await store.read(child);
	if (!read.ok) return read;
	let last: string | undefined;
	let isCurrent = true;
	for await (const event of read.value.events()) {
		const tree = treeOf(event);
		if (tree !== undefined) [last, isCurrent] = [tree, true];
		else if (event.kind === "tool_started" || event.kind === "tool_ended") isCurrent = false;
	}
	if (last !== undefined && isCurrent) return { ok: true, value: last };
	return storeFailure(
		"corrupt",
		"Its folder was removed, and what it has changed since its last snapshot is lost.",
		`Drop it, or set it back: rewind ${child.slice(0, 8)} <visit>.`,
	);
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
