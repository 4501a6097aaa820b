// What a child has made that no snapshot hands over: files that are too large or secret by their names, repositories, files that cannot be read. And
// files that git ignores.
// A folder with such files is removed only after they are in the project; nothing in the project is overwritten; repeated after a crash, it
// completes.

import { constants, existsSync } from "node:fs";
import { copyFile, link, lstat, mkdir, readdir, readFile, readlink, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { counted, errorMessage, isText, listOf, object } from "@pi-chronicle/core/definition";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { readNote, writeNote } from "./child-notes.ts";
import { cloneFolder } from "./clone-folder.ts";
import type { RawChange } from "./compare.ts";
import { isNothing, modes } from "./git.ts";
import { foldersAbove, fromRaw, pathBytes, toRaw } from "./paths.ts";
import type { Store } from "./store.ts";
import { changedRepositories } from "./submodules.ts";

/** Index of a child's initial files, next to them. */
export const START_INDEX = "index";
const restFile = "rest.json";
const ignoredFile = "ignored.json";
/** Entries of an ignored folder that are counted. */
const maxCounted = 100_000;
const maxNamed = 8;

/** A child's folder, as far as its end is concerned. */
export interface EndingChild {
	/** The folder with everything that belongs to it. */
	readonly place: string;
	/** Folder of its files. */
	readonly root: string;
	/** Snapshot that it started with. */
	readonly start: string;
}

/**
 * What a snapshot of a child does not hand over, by path below its root. `changes`: those of the snapshot since the start; `unkept`: what is known not
 * to be in it.
 */
export async function findRest(
	store: Store,
	{ place, root }: EndingChild,
	changes: readonly RawChange[],
	unkept: readonly FileLeft[],
): Promise<FileLeft[]> {
	await store.reloadPlaceholders();
	const found: FileLeft[] = [];
	for (const { path, after } of changes) {
		if (isNothing(after.object)) continue;
		const kind = store.placeholderOf(after.object);
		const size = `over ${Math.round(store.limits.fileBytes / 1e6)} MB`;
		if (kind !== undefined) found.push({ path: fromRaw(path), why: kind === "large" ? size : "secret by its name" });
		else if (after.mode === modes.repository) found.push({ path: fromRaw(path), why: "a repository of its own" });
	}
	found.push(...(await changedRepositories(place, root)));
	const known = new Set(found.map(({ path }) => path));
	for (const { path, why } of unkept)
		if (!known.has(path) && (await hasContents(join(root, path)))) found.push({ path, why });
	return found;
}

/** Pipes and sockets have none. */
async function hasContents(path: string): Promise<boolean> {
	const stats = await lstat(path).catch(() => undefined);
	return !stats?.isFIFO() && !stats?.isSocket();
}

/** Records what a child's end leaves; removed when it continues. */
export async function writeRest({ place }: Pick<EndingChild, "place">, rest: readonly FileLeft[]): Promise<void> {
	const recorded = await readRest({ place });
	if (JSON.stringify(recorded) !== JSON.stringify(rest)) await writeNote(place, restFile, rest);
}

const isFileLeft = object<FileLeft>({ path: isText, why: isText });

/** What a child's end has left; `undefined` if that is not recorded. */
export async function readRest({ place }: Pick<EndingChild, "place">): Promise<readonly FileLeft[] | undefined> {
	return readNote(place, restFile, listOf(isFileLeft));
}

export async function forgetRest({ place }: Pick<EndingChild, "place">): Promise<void> {
	await rm(join(place, restFile), { force: true });
}

/** Copies what a child's end has left to the project, where nothing is in the way; returns what was copied and what was not, with the reason. */
export async function placeRest(
	store: Store,
	child: EndingChild,
	rest: readonly FileLeft[],
	folder: string,
): Promise<{ readonly placed: readonly string[]; readonly left: readonly FileLeft[] }> {
	const placed: string[] = [];
	const left: FileLeft[] = [];
	for (const entry of rest) {
		const why = await placeOne(store, child, entry.path, folder).catch((error: unknown) => errorMessage(error));
		if (why === undefined) placed.push(entry.path);
		else left.push({ path: entry.path, why: `${entry.why}; ${why}` });
	}
	await writeRest(child, left);
	return { placed, left };
}

/** Copies one file or repository; returns what prevents it. */
async function placeOne(
	store: Store,
	{ root }: EndingChild,
	path: string,
	folder: string,
): Promise<string | undefined> {
	const never = store.exclusionOf(toRaw(path));
	if (never !== undefined) return `it ${never}`;
	const [from, to] = [join(root, path), join(store.root, path)];
	for (const above of foldersAbove(path)) {
		const stats = await lstat(join(store.root, above)).catch(() => undefined);
		if (stats && !stats.isDirectory()) return `${above} is no folder in the project`;
	}
	if (await lstat(to).catch(() => undefined))
		return (await isSameOnDisk(from, to)) ? undefined : "the project has another one of that name";
	const git = await lstat(join(from, ".git")).catch(() => undefined);
	if (git && !git.isDirectory()) return "its git folder is elsewhere";
	const draft = join(folder, `.placing.${process.pid}.tmp`);
	await rm(draft, { recursive: true, force: true });
	await mkdir(folder, { recursive: true, mode: 0o700 });
	await cloneFolder(store, { from, to: draft, path, root, files: store.root });
	await mkdir(dirname(to), { recursive: true });
	try {
		await moveNew(draft, to);
	} finally {
		await rm(draft, { recursive: true, force: true });
	}
	return undefined;
}

/** Moves `draft` to `to`, where nothing is. */
async function moveNew(draft: string, to: string): Promise<void> {
	const stats = await lstat(draft);
	try {
		if (stats.isFile()) await link(draft, to);
		else await rename(draft, to);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (!stats.isFile() || code === "EEXIST") throw error;
		// Another file system, or one without hard links.
		await copyFile(draft, to, constants.COPYFILE_EXCL);
		await utimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000);
	}
}

/** Whether two files, links or folders have the same contents, as after a copy that was interrupted before it was recorded. */
async function isSameOnDisk(one: string, other: string): Promise<boolean> {
	const [a, b] = [await lstat(one), await lstat(other)];
	if (a.isDirectory() && b.isDirectory()) {
		const [names, others] = [await readdir(one), await readdir(other)];
		if (names.sort().join("\0") !== others.sort().join("\0")) return false;
		for (const name of names) if (!(await isSameOnDisk(join(one, name), join(other, name)))) return false;
		return true;
	}
	if (a.isSymbolicLink() && b.isSymbolicLink()) return (await readlink(one)) === (await readlink(other));
	if (!a.isFile() || !b.isFile() || a.size !== b.size) return false;
	return a.mtimeMs === b.mtimeMs || (await readFile(one)).equals(await readFile(other));
}

/** A snapshot of a child and its changes since the start. */
export interface ChildFiles {
	readonly tree: string;
	readonly changes: readonly RawChange[];
}

/** The files and folders in a child's folder that its snapshot does not have (bytes as latin1), a folder without other files as one entry that ends in `/`. */
async function listUntracked(
	store: Store,
	{ place, root }: EndingChild,
	{ tree, changes }: ChildFiles,
	which: readonly string[],
): Promise<readonly string[]> {
	const args = ["ls-files", "-z", "--others", ...which, "--exclude-standard", "--directory"];
	const list = async (index: string): Promise<string[]> => {
		const listed = await store.git(args, { index, workTree: root });
		return listed.output.toString("latin1").split("\0").filter(Boolean);
	};
	const start = join(place, START_INDEX);
	if (existsSync(start) && changes.every(({ after }) => !isNothing(after.object))) {
		const added = new Set(changes.map(({ path }) => path));
		const names = new Set((await list(start)).filter((name) => !added.has(name.replace(/\/$/, ""))));
		if (![...added].flatMap(foldersAbove).some((folder) => names.has(`${folder}/`))) return [...names];
	}
	const index = join(place, "index.end");
	try {
		await store.git(["read-tree", tree], { index });
		return await list(index);
	} finally {
		await rm(index, { force: true });
	}
}

/** Remembers the ignored files that the child's folder has before its first worker: what `link` and `setup` have brought. */
export async function noteIgnored(store: Store, child: EndingChild): Promise<void> {
	await writeNote(child.place, ignoredFile, await listIgnoredFiles(store, child, { tree: child.start, changes: [] }));
}

async function listIgnoredFiles(store: Store, child: EndingChild, files: ChildFiles): Promise<readonly string[]> {
	return (await listUntracked(store, child, files, ["--ignored"])).map(fromRaw);
}

/** The empty folders of a child, by path below its root (bytes as latin1). */
export async function listEmptyFolders(
	store: Store,
	child: EndingChild,
	files: ChildFiles,
): Promise<readonly string[]> {
	const found: string[] = [];
	const open = (await listUntracked(store, child, files, [])).filter((name) => name.endsWith("/"));
	// Grows while it is read.
	for (const folder of open) {
		const entries = await readdir(pathBytes(child.root, folder), { withFileTypes: true, encoding: "buffer" });
		if (entries.length === 0) found.push(folder.slice(0, -1));
		for (const entry of entries) {
			const name = entry.name.toString("latin1");
			if (entry.isDirectory() && name !== ".git") open.push(`${folder}${name}/`);
		}
	}
	return found;
}

/** `ignored, not joined: dist/ (1 file, 3 kB)`; `undefined` if the child has made no such files. */
export async function describeIgnored(
	store: Store,
	child: EndingChild,
	files: ChildFiles,
): Promise<string | undefined> {
	const before = new Set(await readNote(child.place, ignoredFile, listOf(isText)));
	const made = (await listIgnoredFiles(store, child, files)).filter((name) => !before.has(name));
	if (made.length === 0) return undefined;
	const named: string[] = [];
	for (const name of made.slice(0, maxNamed)) named.push(`${name} (${await sizeOnDisk(join(child.root, name))})`);
	const more = made.length > maxNamed ? ` and ${made.length - maxNamed} more` : "";
	return `ignored, not joined: ${named.join(", ")}${more}`;
}

/** `1 file, 3 kB`. */
async function sizeOnDisk(path: string): Promise<string> {
	const open = [path];
	let [files, bytes] = [0, 0];
	// Grows while it is read.
	for (const place of open) {
		const stats = await lstat(place).catch(() => undefined);
		if (stats?.isDirectory() && open.length < maxCounted)
			for (const name of await readdir(place)) open.push(join(place, name));
		else if (stats && !stats.isDirectory()) {
			files += 1;
			bytes += stats.size;
		}
	}
	return `${counted(files, "file")}, ${sizeText(bytes)}`;
}

function sizeText(bytes: number): string {
	if (bytes < 1000) return `${bytes} B`;
	return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
