// Ignored files that a child gets as well: `node_modules`, `.env`.
// A path never leads out of the project; they are copies, so that nothing the child does in them changes the project; only a folder that is too
// large to copy is a symbolic link; they are not part of the child's files.

import { constants, type Stats } from "node:fs";
import { copyFile, lstat, mkdir, readdir, realpath, rm, symlink } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { hasGlob } from "../../safety/index.ts";
import { cloneFolder, measureFolder, requireRoom } from "./clone-folder.ts";
import { escapePattern } from "./exclusions.ts";
import { ioFailure, type WorkspaceError } from "./failures.ts";
import type { TreeEntry } from "./git.ts";
import { findPaths } from "./path-glob.ts";
import { foldersAbove, toRaw } from "./paths.ts";
import type { Store } from "./store.ts";

export interface TakenLinks {
	/** Ignore patterns for them. */
	readonly patterns: readonly string[];
	readonly notes: readonly string[];
}

interface LinkRequest {
	/** Paths and patterns of paths, relative to the run's folder. */
	readonly links: readonly string[];
	/** The folder of the child's files, while it is made and afterward. */
	readonly files: string;
	readonly goal: string;
	/** The other files of the child. */
	readonly listed: readonly TreeEntry[];
}

/** Maximum bytes of a folder that is copied where the file system has no copy-on-write. */
const maxCopied = 2_000_000_000;

/** Adds ignored files to the folder of a child. Fails if one of `links` does not exist. */
export async function takeLinks(store: Store, { links, files, goal, listed }: LinkRequest): Promise<TakenLinks> {
	const paths = new Set<string>();
	for (const link of links) for (const path of await linkPaths(store, link)) paths.add(path);
	const present = new Set(listed.flatMap(({ path }) => [path, ...foldersAbove(path)]));
	const notes: string[] = [];
	const patterns: string[] = [];
	for (const path of paths) {
		if (present.has(toRaw(path))) {
			notes.push(`${path} is already part of the files and was not linked.`);
			continue;
		}
		const note = await take(store, path, { files, goal });
		if (note !== undefined) notes.push(note);
		patterns.push(`/${escapePattern(path.split(sep).join("/"))}`);
	}
	return { patterns, notes };
}

/** The paths below the root of the files that a path or pattern of a template names. */
async function linkPaths(store: Store, link: string): Promise<string[]> {
	if (hasGlob(link) && !link.split(/[\\/]/).includes("..")) {
		const found = await findPaths(store, link);
		if (found.length === 0) throw missingLink(store, link);
		return found.map((path) => relative(store.root, join(store.cwd, path)));
	}
	const below = relative(store.root, resolve(store.cwd, link));
	if (below === "" || isOutside(below) || below.split(sep).includes(".git")) throw leaves(link);
	const source = join(store.root, below);
	if (!(await lstat(source).catch(() => undefined))) throw missingLink(store, link);
	if (isOutside(relative(store.root, await realpath(dirname(source))))) throw leaves(link);
	const never = store.exclusionOf(toRaw(below));
	if (never !== undefined) throw ioFailure(`\`link\` names ${link}, which ${never}.`, "Remove it from `link`.");
	return [below];
}

function isOutside(way: string): boolean {
	return way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way;
}

function slashes(path: string): string {
	return path.split(sep).join("/");
}

/** Copies what is at `path`; returns a note if it could not be copied. */
async function take(
	store: Store,
	path: string,
	{ files, goal: later }: Pick<LinkRequest, "files" | "goal">,
): Promise<string | undefined> {
	const [source, goal] = [join(store.root, path), join(files, path)];
	const stats = await lstat(source);
	await mkdir(dirname(goal), { recursive: true });
	if (stats.isFile()) {
		await copyFile(source, goal, constants.COPYFILE_FICLONE);
		return undefined;
	}
	const real = await realpath(source).catch(() => undefined);
	// What a link outside the project leads to is not the project's.
	const isLinkOut = stats.isSymbolicLink() && (real === undefined || isOutside(relative(store.root, real)));
	if (real === undefined || isLinkOut) await symlink(real ?? source, goal, "junction");
	else if (await isCopied(real, await lstat(real), goal))
		await cloneFolder(store, { from: real, to: goal, path: slashes(path), root: store.root, files: later });
	else {
		await symlink(real, goal, "junction");
		return `${path} is over ${maxCopied / 1e9} GB and was not copied: it is a link to the project's, and must not be changed.`;
	}
	return undefined;
}

async function isCopied(source: string, stats: Stats, goal: string): Promise<boolean> {
	if (stats.isDirectory() && (await copiesOnWrite(source, `${goal}.probe`))) return true;
	const bytes = await measureFolder(source, maxCopied);
	if (bytes > maxCopied) return false;
	await requireRoom(dirname(goal), bytes);
	return true;
}

/** Whether the file system can clone a file of `folder` to `probe`. */
async function copiesOnWrite(folder: string, probe: string): Promise<boolean> {
	const entries = await readdir(folder, { withFileTypes: true });
	for (const entry of entries) {
		const path = join(folder, entry.name);
		if (entry.isDirectory() && (await copiesOnWrite(path, probe))) return true;
		if (!entry.isFile()) continue;
		try {
			await copyFile(path, probe, constants.COPYFILE_FICLONE_FORCE);
			return true;
		} catch {
			return false;
		} finally {
			await rm(probe, { force: true });
		}
	}
	return false;
}

function missingLink({ cwd }: Store, link: string): WorkspaceError {
	const what = hasGlob(link)
		? `\`link\` has ${link}, which nothing in ${cwd} fits.`
		: `\`link\` names ${link}, which does not exist in ${cwd}.`;
	return ioFailure(what, "Create it there, create it in the child's folder with `setup`, or remove it from `link`.");
}

function leaves(link: string): WorkspaceError {
	const message = `${posix.normalize(link)} leads out of the project: it cannot be linked into a child's folder.`;
	return ioFailure(message, "Name a path in the project.");
}
