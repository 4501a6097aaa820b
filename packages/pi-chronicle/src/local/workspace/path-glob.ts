// Patterns of paths in a template (`link`, `keep`): names and globs, `**` for any number of folders. Relative to the run's folder.
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { compileGlob } from "../../safety/index.ts";
import { stopped, tooBig } from "./failures.ts";
import { toRaw } from "./paths.ts";
import type { Store } from "./store.ts";

type GlobSegment = "**" | ((name: string) => boolean);

/** A compiled pattern. */
type PathGlob = readonly GlobSegment[];

/** Folders that one search enters. */
const maxFolders = 50_000;

function compilePathGlob(pattern: string): PathGlob {
	const words = pattern.split(/[\\/]+/).filter((word) => word !== "" && word !== ".");
	return words.map((word) => (word === "**" ? word : compileGlob(word)));
}

/** How far a path fits a pattern: the indexes of the segments that its next name may fit. */
type Progress = ReadonlySet<number>;

function startProgress(glob: PathGlob): Progress {
	return withSkipped(glob, [0]);
}

/** `**` may stand for no folder. */
function withSkipped(glob: PathGlob, at: Iterable<number>): Progress {
	const found = new Set(at);
	// Grows while it is read.
	for (const index of found) if (glob[index] === "**") found.add(index + 1);
	return found;
}

function enterFolder(glob: PathGlob, progress: Progress, name: string): Progress {
	const next: number[] = [];
	for (const index of progress) {
		const segment = glob[index];
		if (segment === "**") next.push(index);
		else if (segment?.(name)) next.push(index + 1);
	}
	return withSkipped(glob, next);
}

/**
 * The paths below the run's folder that fit `pattern`, relative to it, with `/` between names; of a folder that fits, nothing in it is listed. Links
 * are not followed, and git's and this package's own folders are not entered.
 */
export async function findPaths(store: Store, pattern: string): Promise<string[]> {
	const glob = compilePathGlob(pattern);
	const found: string[] = [];
	const open = [{ path: "", progress: startProgress(glob) }];
	// Grows while it is read.
	for (const { path, progress } of open) {
		if (store.control.signal?.aborted) throw stopped();
		if (open.length > maxFolders) throw tooBig(`The search for ${pattern} in ${store.cwd} enters too many folders.`);
		for (const entry of await treeEntries(store, path)) {
			const next = enterFolder(glob, progress, entry.name);
			if (next.has(glob.length)) found.push(entry.path);
			else if (entry.isFolder && next.size > 0) open.push({ path: entry.path, progress: next });
		}
	}
	return found.sort();
}

async function treeEntries(store: Store, folder: string) {
	const entries = await readdir(join(store.cwd, folder), { withFileTypes: true }).catch(() => []);
	return entries
		.filter(({ name }) => name !== ".git")
		.map((entry) => ({
			name: entry.name,
			path: folder === "" ? entry.name : `${folder}/${entry.name}`,
			isFolder: entry.isDirectory(),
		}))
		.filter(({ path }) => !isExcluded(store, path));
}

function isExcluded(store: Store, below: string): boolean {
	const folder = store.repository.below;
	return store.exclusionOf(folder === "" ? toRaw(below) : `${folder}/${toRaw(below)}`) !== undefined;
}

/** The files that fit one of `patterns`, and those in folders that do; relative to the run's folder. */
export async function findFiles(store: Store, patterns: readonly string[]): Promise<string[]> {
	const open = (await Promise.all(patterns.map((pattern) => findPaths(store, pattern)))).flat();
	const files: string[] = [];
	// Grows while it is read.
	for (const path of open) {
		if (isExcluded(store, path)) continue;
		const stats = await lstat(join(store.cwd, path)).catch(() => undefined);
		if (!stats?.isDirectory()) files.push(path);
		else for (const name of await readdir(join(store.cwd, path))) if (name !== ".git") open.push(`${path}/${name}`);
	}
	return [...new Set(files)];
}
