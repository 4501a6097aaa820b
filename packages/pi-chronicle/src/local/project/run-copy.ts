// The copy of the project that a run apart works in: made when the run is created, and again if it was lost.
// A run apart never works in the project's folder: it is opened with its copy, or not at all; a copy that was lost has the last recorded files,
// and its worker learns what that undid.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { copyId, type Run } from "@pi-chronicle/core/machine";
import type {
	ChildFolder,
	HeldLedger,
	LedgerStore,
	Result,
	RunCopy,
	StoreFailure,
	Workspace,
	WorkspaceFailure,
} from "@pi-chronicle/core/ports";
import { findChildPlace, forgetOutsideFolder, type GitWorkspaceOptions, openGitWorkspace } from "../workspace/index.ts";
import { copyOf } from "./child-folders.ts";
import { lastFiles, openChildFolders } from "./lost-folder.ts";

export interface CopyPlace {
	/** The project's folder. */
	readonly cwd: string;
	/** What is never part of its files. */
	readonly leftOut: readonly string[];
	/** Where the folder of the run's copies is made. */
	childrenFolder(run: string): string;
	/** Which of the project's files are the run's. */
	scope(run: Run): Pick<GitWorkspaceOptions, "scope" | "secrets">;
}

/** In the private folder of a run apart: the one for the files of its copy. Both share their snapshots. */
const copyFolder = "apart";

type RunFiles = Pick<HeldLedger, "folder" | "run">;

/** The user's files, as those that a run apart is joined into. */
export function openUserFiles(place: CopyPlace, { folder, run }: RunFiles): Workspace {
	const { cwd, leftOut } = place;
	return openGitWorkspace({ cwd, folder, leftOut, children: place.childrenFolder(run.id), ...place.scope(run) });
}

/** The files of a run apart, in its copy at `cwd`. `notes`: what the copy lacks. */
export function openCopyFiles(
	place: CopyPlace,
	{ folder, run }: RunFiles,
	{ cwd, notes }: Pick<RunCopy, "cwd" | "notes">,
): Workspace {
	return openGitWorkspace({
		...{ cwd, notes, folder: join(folder, copyFolder), childOf: folder, childrenOf: folder, leftOut: place.leftOut },
		children: place.childrenFolder(run.id),
		...place.scope(run),
	});
}

/** The ledger with the copy that its run works in, where it is a run apart; without it, the run is not opened. */
async function withCopy<T extends HeldLedger>(
	place: CopyPlace,
	ledger: T,
	origin: "fresh" | "reopened",
): Promise<Result<T, StoreFailure>> {
	const { apart } = ledger.run;
	if (!apart || apart.discarded) return { ok: true, value: ledger };
	const copy = await openCopy(place, ledger, origin);
	if (copy.ok) return { ok: true, value: Object.assign(ledger, { copy: copy.value }) };
	await ledger.releaseLease();
	const { message, remedy } = copy.failure;
	return { ok: false, failure: { reason: "io", message: `The run has no folder to work in: ${message}`, remedy } };
}

async function openCopy(
	place: CopyPlace,
	ledger: HeldLedger,
	origin: "fresh" | "reopened",
): Promise<Result<RunCopy, WorkspaceFailure>> {
	const { folder, run } = ledger;
	const id = copyId(run.id);
	const folders = openChildFolders({
		...{ parent: folder, places: [], leftOut: place.leftOut, privateFolder: () => join(folder, copyFolder) },
		...place.scope(run),
	});
	const found = (await folders.exists(id)) ? await findChildPlace(folder, id) : undefined;
	const files = openUserFiles(place, ledger);
	const { startTree } = run;
	if (found) return opened(await files.openChild(id, startTree ?? found.start), { isSetBack: false });
	if (origin === "fresh" || startTree === undefined) return opened(await makeCopy(files, id), { isSetBack: false });
	await folders.expect(id);
	const made = await files.openChild(id, startTree, { links: "missing" });
	if (!made.ok) return made;
	const { tree, isSetBack } = await lastFiles(ledger.events(), startTree);
	const restored = await folders.restore(id, made.value.cwd, tree);
	return restored.ok ? opened(made, { isSetBack }) : restored;
}

/** Copies the user's files as they are now. */
async function makeCopy(files: Workspace, id: string): Promise<Result<ChildFolder, WorkspaceFailure>> {
	const taken = await files.snapshot();
	return taken.ok ? files.openChild(id, taken.value.tree, { links: "missing" }) : taken;
}

function opened(
	made: Result<ChildFolder, WorkspaceFailure>,
	{ isSetBack }: Pick<RunCopy, "isSetBack">,
): Result<RunCopy, WorkspaceFailure> {
	if (!made.ok) return made;
	const { cwd, isNew, notes } = made.value;
	return { ok: true, value: { cwd, copy: copyOf(made.value, undefined), notes: isNew ? notes : [], isSetBack } };
}

/** Removes the copy of a run apart, with the folders of its children. Idempotent. `folder`: the run's private folder. */
export async function discardCopy(folder: string): Promise<void> {
	await forgetOutsideFolder(folder);
	await rm(join(folder, copyFolder), { recursive: true, force: true });
}

/** The folder of the copy of a run apart, as long as it exists. `folder`: the run's private folder. */
export async function findCopyOf({ id }: Pick<Run, "id">, folder: string): Promise<string | undefined> {
	return (await findChildPlace(folder, copyId(id)))?.cwd;
}

/** The store, whose runs apart are opened with their copies. */
export function withRunCopies(store: LedgerStore, place: CopyPlace): LedgerStore {
	return {
		...store,
		async create(first) {
			const created = await store.create(first);
			if (!created.ok) return created;
			const ready = await withCopy(place, created.value, "fresh");
			// It has not begun.
			if (!ready.ok) await store.remove(first.id);
			return ready;
		},
		async open(id) {
			const held = await store.open(id);
			return held.ok ? withCopy(place, held.value, "reopened") : held;
		},
	};
}
