// Takes snapshots of the files: new and changed files go into the private index, and the index becomes a tree.
// Contents are read once: a file that has not changed since the last snapshot costs one stat; an unreadable file is reported without stopping
// the snapshot, while a failure of git is never blamed on a file; a file that is too large, or secret by its name, has a placeholder that
// changes with its size and time; a nested repository is one entry that changes with its HEAD and its files.

import { lstatSync, type Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { changedMeanwhile, stopped, tooBig, toResult } from "./failures.ts";
import { indexInfo, modes, nulled, type TreeEntry } from "./git.ts";
import { type ImportOptions, importObjects } from "./import-objects.ts";
import { snapshotNested } from "./nested-repository.ts";
import { foldersAbove, isReadable, pathBytes } from "./paths.ts";
import type { Placeholders } from "./placeholders.ts";
import {
	addKnown,
	addPlain,
	type IndexContents,
	readIndex,
	removeFromIndex,
	updateIndex,
	writeTree,
} from "./private-index.ts";
import type { RepositoryInfo } from "./repository.ts";
import type { FileSnapshot, Store } from "./store.ts";

export type Snapshotter = Pick<Store, "snapshot" | "add" | "indexChanged">;

/** The part of the store that a snapshotter uses. */
export type SnapshotStore = Pick<
	Store,
	"root" | "limits" | "control" | "git" | "tryGit" | "below" | "contains" | "nested" | "modes"
>;

/** Files that are inspected before other work of the process has its turn. */
const inspectedAtOnce = 200;

/** More files or bytes than this may be those of the user's repository, which has them in packs. */
const manyFiles = 500;
const manyBytes = 50_000_000;

/** The update that makes the index match the files. */
interface IndexUpdate {
	readonly plain: string[];
	readonly special: TreeEntry[];
	readonly removed: string[];
	/** New placeholders. */
	readonly placed: Map<string, string>;
	/** Earlier placeholders that are now plain files or deleted. */
	readonly displaced: string[];
	readonly unkept: Map<string, string>;
	bytes: number;
}

interface SnapshotState {
	readonly store: SnapshotStore;
	readonly repository: RepositoryInfo;
	readonly placeholders: Placeholders;
	/** `undefined`: nothing is copied from the user's repository. */
	readonly imports: ImportOptions | undefined;
	/** `undefined` until the index has been read. */
	index: IndexContents | undefined;
	/** The last snapshot, if the index still matches it. */
	lastTree: string | undefined;
	/** The last snapshot whose objects were imported. */
	importedTree: string | undefined;
	/** Whether tracked files that a pattern ignores are in the index. */
	hasForced: boolean;
}

/** Opens the snapshotter of one store. */
export function openSnapshotter(
	store: SnapshotStore,
	repository: RepositoryInfo,
	placeholders: Placeholders,
	imports: ImportOptions | undefined,
): Snapshotter {
	const state: SnapshotState = {
		store,
		repository,
		placeholders,
		imports,
		index: undefined,
		lastTree: undefined,
		importedTree: undefined,
		hasForced: false,
	};
	return {
		async snapshot() {
			try {
				return await takeSnapshot(state);
			} catch (error) {
				// After a failure in the middle, the cached state of the index may be wrong.
				forgetIndex(state);
				throw error;
			}
		},
		async add(paths) {
			const unkept = new Map<string, string>();
			await addPlain(store, paths, unkept).finally(() => forgetIndex(state));
			if (unkept.size > 0) throw changedMeanwhile();
		},
		indexChanged() {
			forgetIndex(state);
			state.hasForced = false;
		},
	};
}

function forgetIndex(state: SnapshotState): void {
	state.index = undefined;
	state.lastTree = undefined;
}

async function takeSnapshot(state: SnapshotState): Promise<FileSnapshot> {
	const { store, imports } = state;
	const index = await knownIndex(state);
	await dropStale(state, index);
	const { names, closed } = await listChanged(state, index);
	if (names.size > store.limits.files)
		throw tooBig(
			`${shownNumber(names.size)} files in ${store.root} are new or changed; the limit is ${shownNumber(store.limits.files)}.`,
		);
	const update = await planUpdate(state, names, index, closed);
	if (update.bytes > store.limits.totalBytes)
		throw tooBig(
			`${shownMegabytes(update.bytes)} MB in ${store.root} are new or changed; the limit for one snapshot is ${shownMegabytes(store.limits.totalBytes)} MB.`,
		);
	await store.modes.save();
	const { unkept } = update;
	if (names.size === 0 && state.lastTree !== undefined) return { tree: state.lastTree, unkept };
	const isMuch = update.plain.length > manyFiles || update.bytes > Math.min(manyBytes, store.limits.ownBytes);
	await applyUpdate(store, update, index, imports && isMuch ? addKnown : addPlain);
	const tree = await writeTree(store);
	// What was added one by one to the last snapshot is in the store.
	const mayLack = isMuch || state.lastTree === undefined;
	if (imports && mayLack) await importObjects(store, tree, state.importedTree, imports);
	state.importedTree = tree;
	state.lastTree = tree;
	state.hasForced = true;
	return { tree, unkept };
}

async function knownIndex(state: SnapshotState): Promise<IndexContents> {
	state.index ??= await readIndex(state.store);
	return state.index;
}

/** Removes invalid entries from the index: paths outside the run's files, and folders that are no longer repositories. */
async function dropStale(state: SnapshotState, index: IndexContents): Promise<void> {
	const former = await formerRepositories(state.store, index.repositories);
	const stale = [...former, ...index.outside];
	if (stale.length === 0) return;
	await removeFromIndex(state.store, stale);
	for (const path of former) index.repositories.delete(path);
	state.index = { ...index, outside: [] };
	state.lastTree = undefined;
}

/** Repositories of the last snapshot that are now plain folders or deleted: git searches them only once they are removed from the index. */
async function formerRepositories(
	{ root }: Pick<Store, "root">,
	repositories: ReadonlySet<string>,
): Promise<readonly string[]> {
	const gone: string[] = [];
	for (const path of repositories) {
		const exists = await lstat(pathBytes(root, `${path}/.git`)).then(
			() => true,
			({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
		);
		if (!exists) gone.push(path);
	}
	return gone;
}

/** Names of new and changed files (a repository ends in `/`), and the folders that git could not search, with the reason. */
async function listChanged(
	{ store, repository, hasForced }: SnapshotState,
	index: IndexContents,
): Promise<{ names: Set<string>; closed: Map<string, string> }> {
	const listed = await store.git(["ls-files", "-z", "--others", "--modified", "--exclude-standard", ...store.below()]);
	const found = listed.output.toString("latin1").split("\0").filter(Boolean);
	// Patterns of the project can include what is never one of its files.
	const names = new Set(found.filter((name) => store.contains(name.replace(/\/$/, ""))));
	// Once they are in the index, changes of these are listed like any other.
	if (!hasForced) for (const name of repository.forced) if (store.contains(name)) names.add(name);
	for (const path of index.placeholders.keys()) names.add(path);
	return { names, closed: closedFolders(listed.warnings) };
}

function closedFolders(warnings: string): Map<string, string> {
	const found = [...warnings.matchAll(/^warning: could not open directory '([\s\S]*?)\/?': (.*)$/gm)];
	return new Map(found.map(([, path = "", why = ""]) => [path, `cannot be listed (${why})`]));
}

/** The current type of a changed name. */
type Inspected =
	| { readonly kind: "removed" }
	| { readonly kind: "unkept"; readonly why: string }
	| { readonly kind: "plain"; readonly bytes: number }
	| { readonly kind: "nested"; readonly entry: TreeEntry }
	| { readonly kind: "placeholder"; readonly entry: TreeEntry };

async function planUpdate(
	state: SnapshotState,
	names: ReadonlySet<string>,
	index: IndexContents,
	closed: Map<string, string>,
): Promise<IndexUpdate> {
	const update: IndexUpdate = {
		plain: [],
		special: [],
		removed: [],
		placed: new Map(),
		displaced: [],
		unkept: closed,
		bytes: 0,
	};
	const leadsThroughLink = openLinkCheck(state.store);
	let inspected = 0;
	for (const name of names) {
		inspected += 1;
		if (inspected % inspectedAtOnce === 0) await nextTurn();
		if (state.store.control.signal?.aborted) throw stopped();
		const path = name.replace(/\/$/, "");
		// Nothing behind a folder that became a link is part of the files.
		const found: Inspected = leadsThroughLink(path) ? { kind: "removed" } : await inspectName(state, name, index);
		addToUpdate(update, path, found, index.placeholders.get(path));
	}
	return update;
}

function addToUpdate(update: IndexUpdate, path: string, found: Inspected, placeholder: string | undefined): void {
	switch (found.kind) {
		case "placeholder":
			if (found.entry.object === placeholder) return;
			update.placed.set(path, found.entry.object);
			update.special.push(found.entry);
			return;
		case "unkept":
			update.unkept.set(path, found.why);
			return;
		case "removed":
			update.removed.push(path);
			break;
		case "plain":
			update.plain.push(path);
			update.bytes += found.bytes;
			break;
		case "nested":
			update.special.push(found.entry);
	}
	if (placeholder !== undefined) update.displaced.push(path);
}

async function inspectName(state: SnapshotState, name: string, index: IndexContents): Promise<Inspected> {
	const { store } = state;
	const path = name.replace(/\/$/, "");
	const stats = statsOf(store, path);
	if (typeof stats === "string") {
		if (stats === "ENOENT" || stats === "ENOTDIR") return { kind: "removed" };
		return { kind: "unkept", why: `cannot be inspected (${stats})` };
	}
	if (stats.isDirectory()) {
		if (!name.endsWith("/") && !index.repositories.has(path)) return { kind: "removed" };
		const entry = await toResult(() => snapshotNested(store, path));
		if (entry.ok) return { kind: "nested", entry: entry.value };
		return { kind: "unkept", why: `is a repository that could not be saved: ${entry.failure.message}` };
	}
	if (stats.isSymbolicLink()) return { kind: "plain", bytes: 0 };
	if (!stats.isFile()) return { kind: "unkept", why: "is not a regular file" };
	return inspectPath(state, path, stats);
}

/** The facts about a path, or the code of the error. Synchronous: among many files, waiting for each would take longer than the call. */
function statsOf({ root }: Pick<Store, "root">, path: string): Stats | string {
	try {
		return lstatSync(pathBytes(root, path));
	} catch (error) {
		return (error as NodeJS.ErrnoException).code ?? "";
	}
}

async function inspectPath({ store, placeholders }: SnapshotState, path: string, stats: Stats): Promise<Inspected> {
	store.modes.note(path, stats.mode);
	const kind = placeholders.kindFor(path, stats.size);
	if (kind === undefined) {
		const readable = isReadable(store.root, path);
		return readable ? { kind: "plain", bytes: stats.size } : { kind: "unkept", why: "cannot be read" };
	}
	const object = await placeholders.make(kind, stats.size, stats.mtimeMs);
	return { kind: "placeholder", entry: { path, mode: stats.mode & 0o100 ? modes.program : modes.file, object } };
}

/** Whether a path leads through a symbolic link. Notes the permissions of the folders. */
function openLinkCheck(store: SnapshotStore): (path: string) => boolean {
	const links = new Map<string, boolean>();
	const isLink = (folder: string): boolean => {
		const known = links.get(folder);
		if (known !== undefined) return known;
		const stats = statsOf(store, folder);
		const link = typeof stats !== "string" && stats.isSymbolicLink();
		if (typeof stats !== "string" && stats.isDirectory()) store.modes.note(`${folder}/`, stats.mode);
		links.set(folder, link);
		return link;
	};
	return (path) => foldersAbove(path).some(isLink);
}

async function applyUpdate(
	store: SnapshotStore,
	{ plain, special, removed, displaced, placed, unkept }: IndexUpdate,
	index: IndexContents,
	add: typeof addKnown,
): Promise<void> {
	// `skip-worktree` keeps git from reading the files behind placeholders every time.
	const steps: (() => Promise<void>)[] = [
		() => updateIndex(store, ["--no-skip-worktree", "--stdin"], nulled(displaced)),
		() => removeFromIndex(store, removed),
		() => add(store, plain, unkept),
		() => updateIndex(store, ["--add", "--replace", "--index-info"], indexInfo(special)),
		() => updateIndex(store, ["--skip-worktree", "--stdin"], nulled([...placed.keys()])),
	];
	for (const step of steps) await step();
	for (const path of displaced) index.placeholders.delete(path);
	for (const [path, object] of placed) index.placeholders.set(path, object);
	for (const { path, mode } of special) if (mode === modes.repository) index.repositories.add(path);
}

function shownNumber(number: number): string {
	return number.toLocaleString("en-US");
}

function shownMegabytes(bytes: number): string {
	return shownNumber(Math.round(bytes / 1e6));
}
