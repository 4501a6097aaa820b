// Opens a store and repairs it.
// The user's index, HEAD, refs, stash, hooks and configuration are never written, nor read in order to write; contents are stored byte for
// byte: no filters, no line-end conversion, no keywords; only the user can read the store's files; a store that git cannot use is moved aside,
// never deleted, and a new one is created; one without objects of its own, like a child's, is made again where it is.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { copyRepository } from "./child-repository.ts";
import { copyIndex } from "./copy-index.ts";
import { containsFile, type Exclusions, openExclusions } from "./exclusions.ts";
import { gitFailure, isDiskFull, noGit, stopped, toResult, WorkspaceError } from "./failures.ts";
import { openFileModes } from "./file-modes.ts";
import { type GitResult, runGit } from "./git.ts";
import { killOrphanedGit, removeLocks } from "./locks.ts";
import { fromRaw } from "./paths.ts";
import { openPlaceholders, PLACEHOLDER_LIST } from "./placeholders.ts";
import { type ChildStore, inspectChild, inspectRepository, isAsMade, type RepositoryInfo } from "./repository.ts";
import { openSnapshotter, type Snapshotter } from "./snapshot.ts";
import { type FileSnapshot, privateAttributes, type Store, type StoreOptions } from "./store.ts";

/** Separates the name of a store that was moved aside from the time. */
const asideMark = ".broken-";

/** The file that is written once the store is complete: git may be killed when it has made only HEAD. */
const completeMark = ".gitignore";

/** What git makes of a store, besides the objects. */
const madeByGit = ["HEAD", "config", "refs", "index", "index.probe"];

/** A store that is being opened, as needed by the functions here. */
interface StorePlace extends Pick<Store, "git" | "tryGit" | "repository"> {
	readonly options: StoreOptions;
}

/** Opens the store, and creates it on disk if it does not exist. */
export async function openStore(options: StoreOptions): Promise<Store> {
	await killOrphanedGit(options.folder);
	return openAt(options);
}

async function openAt(options: StoreOptions): Promise<Store> {
	const { folder, control, limits, alternates, child, cwd } = options;
	const isNew = child !== undefined && !existsSync(folder) && (await isAsMade(child));
	const repository = child
		? await inspectChild(child, { cwd, isNew, signal: control.signal })
		: await inspectRepository(cwd, control.signal);
	if (control.signal?.aborted) throw stopped();
	if (!repository) throw noGit(cwd);
	await mkdir(folder, { recursive: true, mode: 0o700 });
	await removeLocks(folder);
	const { root, below, objects } = repository;
	const tryGit = gitOf(options, repository);
	const git: Store["git"] = async (args, more) => {
		const ran = await tryGit(args, more);
		if (ran.kind !== "done") throw gitFailure(ran);
		return ran;
	};
	const place: StorePlace = { options, repository, git, tryGit };
	await prepare(place, isNew);
	const scope = options.scope === "folder" ? below : "";
	const exclusions = openExclusions(root, options.leftOut);
	await writeExcluded(place, exclusions);
	const placeholders = await openPlaceholders(place, options);
	const base = {
		root,
		cwd: join(root, fromRaw(below)),
		repository,
		limits,
		control,
		git,
		tryGit,
		below: () => (scope === "" ? [] : ["--", `:(top,literal)${fromRaw(scope)}`]),
		contains: containsFile(exclusions, scope),
		exclusionOf: exclusions.reason,
		nested: openNested(options, root),
		modes: openFileModes(folder),
		placeholderOf: placeholders.kindOf,
		placeholderFor: placeholders.kindFor,
		makePlaceholder: placeholders.make,
		reloadPlaceholders: placeholders.reload,
	};
	// A store with alternates only serves to inspect another one, and is removed afterward.
	const imports = objects !== undefined && alternates.length === 0 ? { folder, maxBytes: limits.ownBytes } : undefined;
	const snapshotter = openSnapshotter(base, repository, placeholders, imports);
	return { ...base, ...snapshotter, snapshot: () => snapshotOrRepair(place, snapshotter) };
}

/** Opens each nested repository's store once. */
function openNested(options: StoreOptions, root: string): Store["nested"] {
	const opened = new Map<string, Store>();
	return async (path) => {
		const known = opened.get(path);
		if (known) return known;
		const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
		const found = await openAt({
			...options,
			cwd: join(root, fromRaw(path)),
			scope: "repository",
			child: undefined,
			folder: join(options.folder, "inner", name),
			alternates: options.alternates.map((store) => join(store, "inner", name)),
		});
		opened.set(path, found);
		return found;
	};
}

function gitOf({ folder, alternates, control }: StoreOptions, { root, objects }: RepositoryInfo): Store["tryGit"] {
	const others = [...(objects ? [objects] : []), ...alternates.map((store) => join(store, "objects"))];
	return (args, { input, index, enough, accept, where = "everywhere", workTree = root, env } = {}) =>
		runGit({
			// Also on the command line: after a crash, the next supervisor recognizes this git by it.
			args: [`--git-dir=${folder}`, "-c", "core.sharedRepository=0600", ...args],
			cwd: workTree,
			env: {
				...env,
				GIT_DIR: folder,
				GIT_WORK_TREE: workTree,
				GIT_INDEX_FILE: index ?? join(folder, "index"),
				...(where === "own" ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quotePath).join(delimiter) }),
			},
			signal: control.signal,
			...(input ? { input } : {}),
			...(accept ? { accept } : {}),
			enough,
		});
}

/** Takes a snapshot. If git fails, removes the locks, then recreates the index, then the store, and retries after each step. */
async function snapshotOrRepair(place: StorePlace, snapshotter: Snapshotter): Promise<FileSnapshot> {
	const { folder, child } = place.options;
	await removeLocks(folder);
	const repairs: (() => Promise<unknown>)[] = [
		// A killed git has left its lock; nothing else is wrong.
		async () => {},
		// An index damaged by a power failure is recreated, which only costs time: a child's from the initial files, some of which only the index has.
		async () => {
			await rm(join(folder, "index"), { force: true });
			if (child) await shareObjects(folder, child);
		},
		() => toResult(() => ensureUsable(place)),
	];
	for (const repair of repairs) {
		const taken = await toResult(snapshotter.snapshot);
		if (taken.ok) return taken.value;
		if (taken.failure.reason !== "io") throw new WorkspaceError(taken.failure);
		// It may have been started just as its supervisor was killed.
		await killOrphanedGit(folder);
		await removeLocks(folder);
		await repair();
		snapshotter.indexChanged();
	}
	return snapshotter.snapshot();
}

/** Makes the store usable. `isNew`: it is that of a child, whose repository is as it was made. */
async function prepare(place: StorePlace, isNew: boolean): Promise<void> {
	const { folder } = place.options;
	const found = await Promise.all(["HEAD", completeMark].map((name) => toResult(() => readFile(join(folder, name)))));
	const made = found.some(({ ok }) => !ok) ? await toResult(() => initialize(place, isNew)) : undefined;
	if (made && !made.ok && made.failure.reason !== "io") throw new WorkspaceError(made.failure);
	// The first snapshot finds out whether git can use a copy.
	if (!isNew || !made?.ok) await ensureUsable(place);
	await mkdir(join(folder, "info"), { recursive: true, mode: 0o700 });
	await writeFile(join(folder, "info", "attributes"), privateAttributes, { mode: 0o600 });
	// `git add` of the whole project adds none of the store's files.
	await writeFile(join(folder, completeMark), "*\n", { mode: 0o600 });
}

/** Tells git what to ignore: the project's own patterns from outside its tree, and what is never part of the files. */
async function writeExcluded({ options, repository }: StorePlace, { patterns }: Exclusions): Promise<void> {
	const excluded = [repository.ignored, ...patterns, ""].join("\n");
	await writeFile(join(options.folder, "info", "exclude"), excluded, { mode: 0o600 });
}

/** Creates the store, or what a killed process has not created of it. `isCopy`: like that of the parent. */
async function initialize({ options, repository, git }: StorePlace, isCopy = false): Promise<void> {
	const { folder, child } = options;
	if (child) await shareObjects(folder, child);
	else await takeOver(folder);
	if (child && isCopy) await copyRepository(child.parentStore, folder);
	else await git(["init", "-q", "--template=", `--object-format=${repository.objectFormat}`]);
}

/** Makes sure that git can write to the store. An unusable one is moved aside; its objects stay readable from the new one. */
async function ensureUsable(place: StorePlace): Promise<void> {
	const { folder } = place.options;
	const probe = (): Promise<GitResult> =>
		place.tryGit(["write-tree"], { index: join(folder, "index.probe"), where: "own" });
	let tried = await probe();
	if (tried.kind === "failed" && !isDiskFull(tried.message)) {
		await removeLocks(folder);
		tried = await probe();
		if (tried.kind === "failed") {
			await replaceStore(place, tried.message);
			tried = await probe();
		}
	}
	if (tried.kind !== "done") throw gitFailure(tried);
}

async function replaceStore(place: StorePlace, message: string): Promise<void> {
	const { folder, control } = place.options;
	if (!(await hasObjects(folder))) {
		// It was half made or half deleted, or is a child's whose parent's objects are away: nothing is lost with it.
		const parts = [...madeByGit, "objects"];
		await Promise.all(parts.map((name) => rm(join(folder, name), { recursive: true, force: true })));
		await initialize(place);
		return;
	}
	const aside = `${folder}${asideMark}${Date.now()}`;
	await rename(folder, aside);
	await initialize(place);
	// The store may be open already: nothing else gives the new one the attributes that switch filters off, and the paths to leave out.
	await cp(join(aside, "info"), join(folder, "info"), { recursive: true }).catch(() => {});
	const cause = (message.split("\n")[0] ?? "").slice(0, 120);
	control.notes.push(
		`Git could not use the store of file snapshots (${cause}). It was moved aside to ${aside}, and a new one was created; earlier snapshots can be restored as far as they are still readable.`,
	);
}

/** Whether the store in `folder`, or a nested repository's in it, has objects of its own. A child's are its parent's, by a link. */
async function hasObjects(folder: string): Promise<boolean> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
	// What cannot be read may be objects.
	if (!entries) return true;
	return entries.some((entry) => entry.isFile() && /[\\/]objects[\\/](?:\w\w|pack)$/.test(entry.parentPath));
}

/** Makes the store of a child in `folder` use the objects of its parent's. */
async function shareObjects(folder: string, { parentStore, index }: ChildStore): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const objects = join(folder, "objects");
	await rm(objects, { recursive: true, force: true });
	await symlink(join(parentStore, "objects"), objects, "junction");
	// The files are unchanged since their creation, so the first snapshot need not read them all.
	await copyIndex(index, join(folder, "index")).catch(() => {});
}

/** Adds the objects and placeholders of stores that were moved aside to a new store in `folder`. */
async function takeOver(folder: string): Promise<void> {
	const prefix = `${basename(folder)}${asideMark}`;
	const names = (await readdir(dirname(folder))).filter((name) => name.startsWith(prefix)).sort();
	if (names.length === 0) return;
	const stores = names.map((name) => join(dirname(folder), name));
	await mkdir(join(folder, "objects", "info"), { recursive: true, mode: 0o700 });
	const objects = stores.map((store) => `${join(store, "objects")}\n`).join("");
	await writeFile(join(folder, "objects", "info", "alternates"), objects, { mode: 0o600 });
	const lists = await Promise.all(
		[folder, ...stores].map((store) => readFile(join(store, PLACEHOLDER_LIST), "utf8").catch(() => "")),
	);
	await writeFile(join(folder, PLACEHOLDER_LIST), lists.join(""), { mode: 0o600 });
}

/** A folder in git's list of object directories: one with the separator in its name is quoted. */
function quotePath(path: string): string {
	return path.includes(delimiter) || path.startsWith('"') ? JSON.stringify(path) : path;
}
