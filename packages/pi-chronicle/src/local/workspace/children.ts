// The folders of child runs.
// A folder is complete or absent, because it is created under another name; an existing one is never changed, and a damaged one is moved aside; the user's files and
// repository are never written; removal never follows a link.

import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, realpath, rename } from "node:fs/promises";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { isText, listOf, object, optional } from "@pi-chronicle/core/definition";
import type { ChildFolder, KeptFolder } from "@pi-chronicle/core/ports";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { realPathOf, undefinedIfMissing } from "../../disk/index.ts";
import { hasGlob } from "../../safety/index.ts";
import { fillFolder } from "./child-files.ts";
import { readNote, writeNote } from "./child-notes.ts";
import {
	childFolderName,
	childrenFolders,
	findOutsideFolder,
	forgetOutsideFolder,
	makeChildrenFolder,
	ownFiles,
	removeFolder,
} from "./child-places.ts";
import { makeChildRepository } from "./child-repository.ts";
import { type EndingChild, forgetRest, noteIgnored, readRest, START_INDEX } from "./child-rest.ts";
import { ioFailure, stopped } from "./failures.ts";
import { modes, type TreeEntry } from "./git.ts";
import { findLacks, lackText } from "./lacks.ts";
import { takeLinks } from "./links.ts";
import { listEntries } from "./merge.ts";
import { fromRaw } from "./paths.ts";
import type { Store } from "./store.ts";
import { addAddresses, addGitlinks, noteRepositories, takeRepositories } from "./submodules.ts";

export interface ChildRequest {
	readonly child: string;
	readonly tree: string;
	/** `missing`: the dependencies that git ignores. */
	readonly links: readonly string[] | "missing";
	readonly hasSetup: boolean;
	/** The run's private folder. */
	readonly folder: string;
	/** Where the folder of all children is made if the run has none. */
	readonly children: string;
	/** The run's store. */
	readonly storeFolder: string;
}

/** Recorded next to the files of a child. */
interface ChildRecord {
	/** Absent in folders of earlier versions. */
	readonly child?: string;
	/** The folder that it is a copy of; absent in folders of earlier versions. */
	readonly source?: string;
	readonly tree: string;
	readonly notes: readonly string[];
	/** What the copy lacks (see `findLacks`). */
	readonly lacks?: readonly string[];
	/** The child's working folder, below its files; empty if it is their root. */
	readonly below: string;
	/** Ignore patterns from outside the tree: those of the parent's files, and linked files. */
	readonly ignored: string;
	readonly objectFormat: string;
}

const isChildRecord = object<ChildRecord>({
	child: optional(isText),
	source: optional(isText),
	tree: isText,
	notes: listOf(isText),
	lacks: optional(listOf(isText)),
	below: isText,
	ignored: isText,
	objectFormat: isText,
});

const recordFile = "child.json";
const filesFolder = "files";
const makingMark = ".making-";
const removingMark = ".removing-";
/** Separates the name of a damaged folder that was moved aside from the time. */
const asideMark = ".damaged-";

/** Returns the folder of a child; creates it if it does not exist. */
export async function openChildFolder(store: Store, request: ChildRequest): Promise<ChildFolder> {
	const { child, folder, children } = request;
	if (!/^\w[\w.-]*$/.test(child))
		throw ioFailure(`${JSON.stringify(child)} cannot be the name of a folder.`, "Give it another name.");
	await findOutsideFolder(folder, [children]);
	const existing = await findFolder(folder, child);
	if (existing) {
		await forgetRest(existing);
		return { ...describeFolder(existing.place, existing.record, store), isNew: false };
	}
	const parent = await makeChildrenFolder(folder, children);
	const place = join(parent, childFolderName(child));
	const making = join(parent, `${makingMark}${childFolderName(child)}`);
	try {
		await removeFolder(making);
		await clearPlace(place);
		const made = await makeChild(store, request, { place: making, goal: join(place, filesFolder) });
		if (store.control.signal?.aborted) throw stopped();
		await rename(making, place);
		return { ...describeFolder(place, made, store), isNew: true };
	} catch (error) {
		await removeFolder(making).catch(() => {});
		throw error;
	}
}

/** Removes what is left of a child that has lost its files; where some are left, moves it aside: no snapshot may have them. */
async function clearPlace(place: string): Promise<void> {
	const files = join(place, filesFolder);
	// A link leads to files that are not the child's.
	const names = (await isRealFolder(files)) ? await readdir(files).catch(() => []) : [];
	if (names.some((name) => name !== ".git")) await rename(place, `${place}${asideMark}${Date.now()}`);
	else await removeFolder(place);
}

/** Creates the folder of a child at `place`; its files will be at `goal`. */
async function makeChild(
	store: Store,
	request: ChildRequest,
	{ place, goal }: { readonly place: string; readonly goal: string },
): Promise<ChildRecord> {
	const { tree, storeFolder, child } = request;
	const files = join(place, filesFolder);
	const below = fromRaw(store.repository.below);
	await mkdir(join(files, below), { recursive: true, mode: 0o700 });
	const wanted = request.links === "missing" ? await findLacks(store, files) : request.links;
	// A name that would be read as a pattern stays missing, and is noted.
	const named = request.links === "missing" ? wanted.filter((path) => !hasGlob(path)) : wanted;
	const listed = await listEntries(store, tree, "-l");
	const links = await takeLinks(store, { links: named, files, goal, listed });
	const isInner = ({ mode, path }: TreeEntry): boolean =>
		mode === modes.repository && store.exclusionOf(path) === undefined;
	const repositories = listed.filter(isInner).map(({ path }) => fromRaw(path));
	const inner = await takeRepositories(store, repositories, { files, goal });
	const ignored = [store.repository.ignored, ...links.patterns, ...inner.patterns].join("\n");
	const git = await makeChildRepository(store, { files, storeFolder, ignored });
	const filled = await fillFolder(store, { git, files, goal, tree, listed, storeFolder });
	await git.copyIndex(join(place, START_INDEX));
	await addGitlinks(git, inner.repositories);
	await addAddresses(store, files, inner.repositories);
	await git.commit(`Start of ${child}`, inner.repositories.length === 0 ? filled.tree : undefined);
	await noteRepositories(place, inner.repositories);
	const lacks = request.hasSetup ? [] : await findLacks(store, files);
	const record: ChildRecord = {
		child,
		source: store.root,
		tree: filled.tree,
		notes: [...filled.notes, ...links.notes, ...inner.notes, ...(lacks.length > 0 ? [lackText(lacks)] : [])],
		below,
		...(lacks.length > 0 ? { lacks } : {}),
		ignored,
		objectFormat: store.repository.objectFormat,
	};
	const hasIgnored = links.patterns.length + inner.patterns.length > 0;
	if (hasIgnored) await noteIgnored(store, { place, root: files, start: filled.tree });
	await writeNote(place, recordFile, record);
	return record;
}

function describeFolder(place: string, { below, tree, notes, lacks = [] }: ChildRecord, { root }: Pick<Store, "root">) {
	const files = join(place, filesFolder);
	return { cwd: join(files, below), root: files, source: root, tree, notes, ...(lacks.length > 0 ? { lacks } : {}) };
}

const readRecord = (place: string): Promise<ChildRecord | undefined> => readNote(place, recordFile, isChildRecord);

/** The folder of `child` with its files and its record; `undefined` if there is none. `folder`: the private folder of its parent. */
async function findFolder(
	folder: string,
	child: string,
	places?: readonly string[],
): Promise<{ readonly place: string; readonly record: ChildRecord } | undefined> {
	for (const children of childrenFolders(folder, places)) {
		for (const name of new Set([childFolderName(child), child])) {
			const place = join(children, name);
			const record = await readRecord(place);
			if (record && (record.child ?? child) === child && (await hasFiles(place, record)))
				return { place: await realpath(place), record };
		}
	}
	return undefined;
}

/** Whether there is a folder, and no link to one. */
async function isRealFolder(path: string): Promise<boolean> {
	return (await lstat(path).catch(undefinedIfMissing))?.isDirectory() === true;
}

/** Whether the child can work there: its files were not removed, and nothing else was put in their place. */
async function hasFiles(place: string, { below }: ChildRecord): Promise<boolean> {
	const files = join(place, filesFolder);
	if (!(await isRealFolder(files)) || !(await isRealFolder(join(files, below)))) return false;
	// Even a child that has removed all files has its repository.
	const names = await readdir(files).catch(() => undefined);
	return names === undefined || names.length > 0;
}

/** Folder of the files of child `child`, whether or not it exists. `folder`: the private folder of its parent. */
export function childFilesFolder(folder: string, child: string): string {
	const places = childrenFolders(folder).flatMap((children) => [
		join(children, childFolderName(child), filesFolder),
		join(children, child, filesFolder),
	]);
	return places.find((place) => existsSync(place)) ?? places[0] ?? folder;
}

/** Where a child works. */
interface ChildLocation extends EndingChild {
	readonly cwd: string;
}

/** The folder of child `child`; `undefined` if there is none. `folder`: the private folder of its parent; `places`: see `outsideFolder`. */
export async function findChildPlace(
	folder: string,
	child: string,
	places?: readonly string[],
): Promise<ChildLocation | undefined> {
	const found = await findFolder(folder, child, places).catch(() => undefined);
	if (!found) return undefined;
	const root = join(found.place, filesFolder);
	return { place: found.place, root, cwd: join(root, found.record.below), start: found.record.tree };
}

/** The children that have a folder of the run with the private folder `folder`, each with the index of the files that it started with. */
export async function listChildren(folder: string): Promise<readonly { child: string; startIndex: string }[]> {
	const found: { child: string; startIndex: string }[] = [];
	for (const children of childrenFolders(folder)) {
		for (const name of (await readdir(children).catch(undefinedIfMissing)) ?? []) {
			const place = join(children, name);
			const child = (await readRecord(place))?.child;
			if (child !== undefined) found.push({ child, startIndex: join(place, START_INDEX) });
		}
	}
	return found;
}

export interface OpenedChild {
	readonly record: ChildRecord;
	/** Folder of all its files. */
	readonly root: string;
	readonly index: string;
}

/** The child whose folder is at `cwd`, of the run with the private folder `parent`; `undefined` if there is none. */
export async function findChild(parent: string, cwd: string): Promise<OpenedChild | undefined> {
	const at = await realpath(cwd);
	for (const children of childrenFolders(parent)) {
		const [name = ""] = relative(realPathOf(children) ?? children, at).split(sep);
		if (name === "" || name === ".." || isAbsolute(name)) continue;
		const place = join(children, name);
		const record = await readRecord(place);
		if (record && (await hasFiles(place, record)))
			return { record, root: join(place, filesFolder), index: join(place, START_INDEX) };
	}
	return undefined;
}

/** The part of `path` below the files of a child of the run with the private folder `folder`; `undefined` for a relative path, and if it is in none. */
export function pathInChild(folder: string, path: string): string | undefined {
	if (!isAbsolute(path)) return undefined;
	for (const children of childrenFolders(folder)) {
		const [child = "", files, ...below] = relative(children, path).split(sep);
		if (child !== ".." && !isAbsolute(child) && files === filesFolder) return join(...below);
	}
	return undefined;
}

/** What the folder of a child that has `cwd` is a copy of; `undefined` if it is none of the run with the private folder `parent`. */
export async function findCopy(parent: string, cwd: string): Promise<Pick<ChildFolder, "root" | "source"> | undefined> {
	const found = await findChild(parent, cwd);
	return found?.record.source === undefined ? undefined : { root: found.root, source: found.record.source };
}

/** Removes the folders of all children of the run with the private folder `folder` except `except`; returns those that stay. */
export async function removeChildFolders(
	folder: string,
	except: readonly string[],
	{ signal, restOf }: RemovalOptions,
): Promise<readonly KeptFolder[]> {
	const needed = new Set([...except.flatMap((child) => [child, childFolderName(child)]), ...ownFiles]);
	const kept: KeptFolder[] = [];
	for (const children of childrenFolders(folder)) {
		const names = (await readdir(children).catch(undefinedIfMissing)) ?? [];
		for (const name of names.filter((one) => !needed.has(one))) {
			if (signal?.aborted) throw stopped();
			const place = join(children, name);
			const staying = await stayingFolder(place, restOf);
			if (staying) kept.push(staying);
			else await removeChildFolder(children, name);
		}
	}
	if (except.length === 0 && kept.length === 0) await forgetOutsideFolder(folder);
	return kept;
}

interface RemovalOptions {
	readonly signal: AbortSignal | undefined;
	/** What no snapshot has of a child whose end is not recorded. */
	readonly restOf: (child: string) => Promise<readonly FileLeft[]>;
}

/** The folder, if it has files that are nowhere else. */
async function stayingFolder(place: string, restOf: RemovalOptions["restOf"]): Promise<KeptFolder | undefined> {
	const stats = await lstat(place);
	const [damaged = "", time] = basename(place).split(asideMark);
	if (time !== undefined) return { child: damaged, path: join(place, filesFolder), files: [damagedFolder] };
	const record = stats.isDirectory() && !basename(place).startsWith(".") ? await readRecord(place) : undefined;
	if (!record) return undefined;
	const child = record.child ?? basename(place);
	const files = (await readRest({ place })) ?? (await restOf(child));
	return files.length > 0 ? { child, path: join(place, filesFolder), files } : undefined;
}

const damagedFolder: FileLeft = { path: ".", why: "the folder was damaged, and its child began again in a new one" };

async function removeChildFolder(children: string, name: string): Promise<void> {
	// A partly removed folder must not look complete.
	const doomed = join(children, name.startsWith(removingMark) ? name : `${removingMark}${name}`);
	if (doomed !== join(children, name)) {
		await removeFolder(doomed);
		await rename(join(children, name), doomed);
	}
	await removeFolder(doomed);
}
