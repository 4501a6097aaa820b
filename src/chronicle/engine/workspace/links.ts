// Ignored files that a child gets as well: `node_modules`, `.env`.
// L1 a path never leads out of the project; L2 a file is copied; a folder is copied if the file system supports copy-on-write, otherwise linked; L3 linked
// paths are not part of the child's files.

import { constants } from "node:fs";
import { copyFile, cp, lstat, mkdir, readdir, realpath, rm, symlink } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { ioFailure, type WorkspaceError } from "./failures.ts";
import { toRaw } from "./paths.ts";
import { escapePattern, type Store } from "./store.ts";

export interface TakenLinks {
	/** Ignore patterns for them. */
	readonly patterns: readonly string[];
	readonly notes: readonly string[];
}

interface LinkRequest {
	/** Relative to the run's folder. */
	readonly links: readonly string[];
	readonly cwd: string;
	/** The folder of the child's files. */
	readonly files: string;
	readonly tree: string;
}

/** Adds ignored files to the folder of a child. */
export async function takeLinks(store: Store, { links, cwd, files, tree }: LinkRequest): Promise<TakenLinks> {
	const patterns: string[] = [];
	const notes: string[] = [];
	for (const link of links) {
		const below = relative(store.root, resolve(cwd, link));
		if (below === "" || isOutside(below) || below.split(sep).includes(".git")) throw leaves(link);
		const source = join(store.root, below);
		const stats = await lstat(source).catch(() => undefined);
		if (!stats) {
			notes.push(`${link} does not exist and was not linked.`);
			continue;
		}
		if (isOutside(relative(store.root, await realpath(dirname(source))))) throw leaves(link);
		const why = await linkProblem(store, tree, toRaw(below));
		if (why !== undefined) {
			notes.push(`${link} ${why} and was not linked.`);
			continue;
		}
		await take(source, join(files, below), stats);
		patterns.push(`/${escapePattern(below.split(sep).join("/"))}`);
	}
	return { patterns, notes };
}

function isOutside(way: string): boolean {
	return way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way;
}

/** Why the files at `path` are not linked: they are in the child's folder already, or must not be. */
async function linkProblem(store: Store, tree: string, path: string): Promise<string | undefined> {
	if (store.isOwn(path)) return "belongs to pi-chronicle";
	const found = await store.git(["ls-tree", "-z", "--full-tree", tree, "--", path]);
	return found.output.length > 0 ? "is already part of the files" : undefined;
}

async function take(source: string, goal: string, stats: { isFile(): boolean; isDirectory(): boolean }): Promise<void> {
	await mkdir(dirname(goal), { recursive: true });
	if (stats.isFile()) return copyFile(source, goal, constants.COPYFILE_FICLONE);
	if (stats.isDirectory() && (await copiesOnWrite(source, `${goal}.probe`)))
		return cp(source, goal, { recursive: true, mode: constants.COPYFILE_FICLONE, verbatimSymlinks: true });
	await symlink(await realpath(source).catch(() => source), goal, "junction");
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

function leaves(link: string): WorkspaceError {
	const message = `${posix.normalize(link)} leads out of the project: it cannot be linked into a child's folder.`;
	return ioFailure(message, "Name a path in the project.");
}
