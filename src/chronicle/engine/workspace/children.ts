// The folders of child runs, in the run's private folder.
// C1 a folder is complete or absent, because it is created under another name; C2 an existing one is never changed; C3 the user's files and
// repository are never written; C4 removal never follows a link.

import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { undefinedIfMissing } from "../../../disk/index.ts";
import type { ChildFolder } from "../../core/index.ts";
import { fillFolder } from "./child-files.ts";
import { makeChildRepository } from "./child-repository.ts";
import { ioFailure, stopped } from "./failures.ts";
import { takeLinks } from "./links.ts";
import type { Store } from "./store.ts";

export interface ChildRequest {
	readonly child: string;
	readonly tree: string;
	readonly links: readonly string[];
	/** Folder of all children. */
	readonly children: string;
	/** The run's store. */
	readonly storeFolder: string;
	/** The run's folder. */
	readonly cwd: string;
}

/** Recorded next to the files of a child. */
interface ChildRecord {
	readonly tree: string;
	readonly notes: readonly string[];
	/** The child's working folder, below its files; empty if it is their root. */
	readonly below: string;
	/** Ignore patterns from outside the tree: those of the parent's files, and linked files. */
	readonly ignored: string;
	readonly objectFormat: string;
}

const recordFile = "child.json";
const filesFolder = "files";
/** Index of a child's files, for the first snapshot of its store. */
const indexFile = "index";
const makingMark = ".making-";
const removingMark = ".removing-";

/** The folder of all children of the run with the private folder `folder`. */
export function childrenFolder(folder: string): string {
	return join(folder, "children");
}

/** Returns the folder of a child; creates it if it does not exist. */
export async function openChildFolder(store: Store, request: ChildRequest): Promise<ChildFolder> {
	const { child, children } = request;
	if (!/^\w[\w.-]*$/.test(child))
		throw ioFailure(`${JSON.stringify(child)} cannot be the name of a folder.`, "Give it another name.");
	const folder = join(children, child);
	const making = join(children, `${makingMark}${child}`);
	try {
		const existing = await readRecord(folder);
		if (existing) return describe(folder, existing);
		await mkdir(children, { recursive: true, mode: 0o700 });
		await writeFile(join(children, ".gitignore"), "*\n", { mode: 0o600 });
		await removeFolder(making);
		const made = await makeChild(store, request, making);
		if (store.control.signal?.aborted) throw stopped();
		await rename(making, folder);
		return describe(folder, made);
	} catch (error) {
		await removeFolder(making).catch(() => {});
		throw error;
	}
}

/** Creates the folder of a child at `place`. */
async function makeChild(store: Store, request: ChildRequest, place: string): Promise<ChildRecord> {
	const { tree, cwd, storeFolder, child } = request;
	const files = join(place, filesFolder);
	const below = relative(store.root, cwd);
	await mkdir(join(files, below), { recursive: true, mode: 0o700 });
	const links = await takeLinks(store, { ...request, files });
	const ignored = [store.repository.ignored, ...links.patterns].join("\n");
	const git = await makeChildRepository(store, { files, storeFolder, ignored });
	const filled = await fillFolder(store, { git, files, tree, storeFolder });
	await git.commit(filled.tree, `Start of ${child}`);
	await git.copyIndex(join(place, indexFile));
	const record: ChildRecord = {
		tree: filled.tree,
		notes: [...filled.notes, ...links.notes],
		below: below.split(sep).join("/"),
		ignored,
		objectFormat: store.repository.objectFormat,
	};
	await writeFile(join(place, recordFile), JSON.stringify(record), { mode: 0o600 });
	return record;
}

function describe(folder: string, { below, tree, notes }: ChildRecord): ChildFolder {
	return { cwd: join(folder, filesFolder, below), tree, notes };
}

async function readRecord(folder: string): Promise<ChildRecord | undefined> {
	const text = await readFile(join(folder, recordFile), "utf8").catch(undefinedIfMissing);
	return text === undefined ? undefined : (JSON.parse(text) as ChildRecord);
}

/** The folder that child `child` works in; `undefined` if there is none. `folder`: the private folder of its parent. */
export async function childWorkFolder(folder: string, child: string): Promise<string | undefined> {
	const place = join(childrenFolder(folder), child);
	const record = await readRecord(place).catch(() => undefined);
	return record && describe(place, record).cwd;
}

export interface OpenedChild {
	readonly record: ChildRecord;
	/** Folder of all its files. */
	readonly root: string;
	readonly index: string;
}

/** The child whose folder is at `cwd`, of the run with the private folder `parent`; `undefined` if there is none. */
export async function findChild(parent: string, cwd: string): Promise<OpenedChild | undefined> {
	const [name = ""] = relative(childrenFolder(parent), cwd).split(sep);
	if (name === "" || name === "..") return undefined;
	const folder = join(childrenFolder(parent), name);
	const record = await readRecord(folder);
	return record && { record, root: join(folder, filesFolder), index: join(folder, indexFile) };
}

/** Removes the folders of all children except `except`. */
export async function removeChildFolders(
	children: string,
	except: readonly string[],
	signal: AbortSignal | undefined,
): Promise<void> {
	const kept = new Set([...except, ".gitignore"]);
	const names = (await readdir(children).catch(undefinedIfMissing)) ?? [];
	for (const name of names.filter((one) => !kept.has(one))) {
		if (signal?.aborted) throw stopped();
		// A partly removed folder must not look complete.
		const doomed = join(children, name.startsWith(removingMark) ? name : `${removingMark}${name}`);
		if (doomed !== join(children, name)) {
			await removeFolder(doomed);
			await rename(join(children, name), doomed);
		}
		await removeFolder(doomed);
	}
}

/** Removes `folder`, if it exists. */
async function removeFolder(folder: string): Promise<void> {
	const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	try {
		await remove();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code !== "EACCES" && code !== "EPERM") throw error;
		await makeWritable(folder);
		await remove();
	}
}

async function makeWritable(folder: string): Promise<void> {
	await chmod(folder, 0o700);
	for (const entry of await readdir(folder, { withFileTypes: true }))
		if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}
