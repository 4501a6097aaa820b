// Searches for the first protected path below a directory that a command goes through: among the files that git tracks if it reads only
// those, otherwise on the disk.
// Invariants: a walk is breadth first and bounded by a number of names, never by time; reaching the bound is reported and never means "not
// found", except among files that git ignores, which are looked at last; links are not followed.
import { relative, sep } from "node:path";
import { compileGlob, type FileAccess } from "@pi-chronicle/footprint";
import { folderEntries } from "../../../disk/index.ts";
import type { PathRule } from "../rules/index.ts";
import type { GitView } from "./git-view.ts";

export type TreeSearchResult =
	| { readonly kind: "protected"; readonly path: string }
	| { readonly kind: "nothing" }
	/** The tree has more names than are examined. */
	| { readonly kind: "too-much" };

export interface TreeSearch {
	readonly access: FileAccess;
	/** Paths to examine at any depth; absolute. */
	readonly places: readonly string[];
	/** Whether names have to be examined in addition to `places`. */
	readonly names: boolean;
	/** Whether a relevant rule covers the path. */
	readonly isProtected: (path: string) => boolean;
	/** Names of directories that are not entered. */
	readonly passOver: ReadonlySet<string>;
	readonly exists: (path: string) => boolean;
	/** The earlier walks of the same judgment. */
	readonly seen: TreeWalks;
	readonly git: GitView;
}

/** A path that a rule covers, also relative to the directory that is walked, and as segments. */
interface RelevantPath {
	readonly path: string;
	readonly way: string;
	readonly names: readonly string[];
}

/** A directory to read; `isRelevant`: a rule covers it, and so everything in it. */
interface OpenFolder {
	readonly path: string;
	readonly isRelevant: boolean;
}

/** The state of a walk below a directory. */
interface TreeWalk {
	/** In the order in which they were found. */
	readonly relevant: RelevantPath[];
	/** The directories to read, those that were read among them. */
	readonly open: OpenFolder[];
	/** Directories that git ignores: they are read last. */
	readonly ignored: OpenFolder[];
	/** Directories of `open` that were read. */
	read: number;
	count: number;
	/** The names that it may examine. */
	most: number;
	state: "open" | "in ignored folders" | "complete" | "too large";
}

/** The walks of one judgment: its commands often walk the same folder. */
export interface TreeWalks {
	readonly trees: Map<string, TreeWalk>;
	/** The rules for a path, by kind of access and path. */
	readonly rules: Map<string, readonly PathRule[]>;
	/** The paths that any rule covers, the rules that cover a directory above them aside. */
	readonly relevantAmong: (paths: readonly string[]) => ReadonlySet<string>;
	/** The relevant paths among lists of tracked files; outlives the judgment. */
	readonly tracked: WeakMap<readonly string[], readonly string[]>;
	/** Remaining number of names to examine. */
	names: number;
}

/** Names that one walk examines; all walks of one judgment examine twice as many. In a repository, it is as many more as git tracks twice. */
const MAX_NAMES = 20_000;
const MAX_IN_REPOSITORY = 200_000;

export function openTreeWalks({ relevantAmong, tracked }: Pick<TreeWalks, "relevantAmong" | "tracked">): TreeWalks {
	return { trees: new Map(), rules: new Map(), relevantAmong, tracked, names: 2 * MAX_NAMES };
}

/** Searches for a protected path below `access.real`; kinds of paths that the command itself skips don't count. */
export function findProtected(search: TreeSearch): TreeSearchResult {
	const { access, places, names, isProtected, exists, git } = search;
	const reaches = reachOf(access);
	const isSkipped = (path: string) =>
		(access.skips?.includes("untracked") && git.isUntracked(path)) ||
		(access.skips?.includes("ignored") && git.isIgnored(path));
	const known = places.find((place) => reaches(relative(access.real, place)) && exists(place) && !isSkipped(place));
	if (known !== undefined) return { kind: "protected", path: known };
	if (!names || !exists(access.real)) return { kind: "nothing" };
	const tracked = access.skips?.includes("untracked") ? relevantTracked(search) : undefined;
	const tree = openTree(search);
	for (const { path, way, names: on } of tracked ?? tree.places())
		if (reaches(way, on) && isProtected(path) && !isSkipped(path)) return { kind: "protected", path };
	return tree.isTooLarge() ? { kind: "too-much" } : { kind: "nothing" };
}

/** Whether the command reaches a path, given relative to the directory and as its segments. */
function reachOf(access: FileAccess): (way: string, on?: readonly string[]) => boolean {
	const selects = compileSelection(access);
	const hides = access.skips?.includes("hidden") ?? false;
	return (way, on = namesOn(way)) => selects(way, on) && !(hides && on.some((name) => name.startsWith(".")));
}

/** The tracked files that rules cover; `undefined` if git's index cannot be read. */
function relevantTracked({ access, seen, git }: TreeSearch): readonly RelevantPath[] | undefined {
	const files = git.trackedBelow(access.real);
	if (!files) return undefined;
	const known = seen.tracked.get(files) ?? coveredAmong(files, access.real, seen);
	seen.tracked.set(files, known);
	return known.map((path) => relevantPath(path, access.real));
}

/** The files below a directory that rules cover, or a folder between. */
function coveredAmong(files: readonly string[], directory: string, { relevantAmong }: TreeWalks): readonly string[] {
	const above = (path: string) => path.slice(0, path.lastIndexOf(sep));
	const places = new Set<string>();
	for (const path of files)
		for (let at = path; at.length > directory.length && !places.has(at); at = above(at)) places.add(at);
	const relevant = relevantAmong([...places]);
	return files.filter((path) => {
		for (let at = path; at.length > directory.length; at = above(at)) if (relevant.has(at)) return true;
		return false;
	});
}

function relevantPath(path: string, root: string): RelevantPath {
	const way = relative(root, path);
	return { path, way, names: namesOn(way) };
}

/** Opens the walk below `access.real`; walks of the same judgment that skip the same paths share one. */
function openTree(search: TreeSearch) {
	const { access, passOver, seen } = search;
	const hides = access.skips?.includes("hidden") ?? false;
	const obeys = access.skips?.includes("ignored") ?? false;
	const excluded = access.only?.filter((glob) => glob.startsWith("!")) ?? [];
	const key = [access.real, hides, obeys, passOver.size > 0, ...excluded].join("\0");
	const start = { path: access.real, isRelevant: seen.relevantAmong([access.real]).has(access.real) };
	const tree: TreeWalk = seen.trees.get(key) ?? {
		relevant: [],
		open: [start],
		ignored: [],
		read: 0,
		count: 0,
		most: MAX_NAMES,
		state: "open",
	};
	seen.trees.set(key, tree);
	const isExcluded = compileExclusion(access);
	const enters = (name: string, path: string) =>
		!passOver.has(name) && (excluded.length === 0 || !isExcluded(`${relative(access.real, path)}${sep}x`));
	return {
		/** The paths that the rules protect, read from the disk on demand. */
		*places() {
			for (let at = 0; ; at++) {
				while (at >= tree.relevant.length && (tree.state === "open" || tree.state === "in ignored folders"))
					walkNextDirectory(tree, search, { hides, obeys, enters });
				const place = tree.relevant[at];
				if (place === undefined) return;
				yield place;
			}
		},
		isTooLarge: () => tree.state === "too large",
	};
}

interface WalkOptions {
	/** Hidden files are left out. */
	readonly hides: boolean;
	/** Directories that git ignores are not entered at all. */
	readonly obeys: boolean;
	readonly enters: (name: string, path: string) => boolean;
}

/** Reads the next directory. */
function walkNextDirectory(
	tree: TreeWalk,
	{ access, seen, git }: TreeSearch,
	{ hides, obeys, enters }: WalkOptions,
): void {
	const directory = tree.open[tree.read++];
	if (directory === undefined) {
		tree.state = tree.ignored.length > 0 ? "in ignored folders" : "complete";
		tree.open.push(...tree.ignored.splice(0));
		tree.read--;
		return;
	}
	const queueFor = (path: string) => {
		if (tree.state !== "open" || !git.ignoresFolder(path)) return tree.open;
		return obeys ? undefined : tree.ignored;
	};
	const entries = folderEntries(directory.path);
	const start = directory.path.endsWith(sep) ? directory.path : directory.path + sep;
	const shown = hides ? entries.filter(({ name }) => !name.startsWith(".")) : entries;
	const relevant = directory.isRelevant ? undefined : seen.relevantAmong(shown.map(({ name }) => start + name));
	for (const entry of shown) {
		const { name } = entry;
		const path = start + name;
		const isRelevant = relevant?.has(path) ?? true;
		if (isRelevant) tree.relevant.push(relevantPath(path, access.real));
		if (entry.isDirectory() && enters(name, path)) queueFor(path)?.push({ path, isRelevant });
	}
	countWalk(tree, entries.length, seen, () => git.trackedBelow(access.real)?.length ?? 0);
}

/** Counts names that were read, and ends a walk that has read too many. */
function countWalk(tree: TreeWalk, names: number, seen: TreeWalks, tracked: () => number): void {
	tree.count += names;
	seen.names -= names + 1;
	if (tree.state === "open" && tree.count > MAX_NAMES && tree.most === MAX_NAMES) {
		tree.most += Math.min(MAX_IN_REPOSITORY, 2 * tracked());
		seen.names += tree.most - MAX_NAMES;
	}
	// Of the files that git ignores, only as many are looked at as the bound leaves.
	if (tree.count > tree.most || seen.names < 0) tree.state = tree.state === "open" ? "too large" : "complete";
}

function namesOn(way: string): readonly string[] {
	return way.split(/[\\/]/);
}

/** Tests a path below a directory; `names` are its segments, if they are known already. */
type WayTest = (way: string, names?: readonly string[]) => boolean;

/** Tests whether the globs of a search exclude a place and everything in it. */
function compileExclusion({ only = [] }: Pick<FileAccess, "only">): WayTest {
	const unwanted = only
		.filter((glob) => glob.startsWith("!"))
		.map((glob) => (/^![^/]+\/$/.test(glob) ? insideOf(glob.slice(1, -1)) : globOf(glob.slice(1))));
	return (way, names) => unwanted.some((fits) => fits(way, names));
}

/** What lies in folders of a name at any depth. */
function insideOf(glob: string): WayTest {
	const test = compileGlob(glob);
	return (way, names = namesOn(way)) => names.slice(0, -1).some((name) => test(name));
}

/** Tests whether the globs of a search select a file, by its path relative to the directory that is searched. */
export function compileSelection({ only = [] }: Pick<FileAccess, "only">): WayTest {
	const wanted = only.filter((glob) => !glob.startsWith("!")).map(globOf);
	const isExcluded = compileExclusion({ only });
	return (way, names) => (wanted.length === 0 || wanted.some((fits) => fits(way, names))) && !isExcluded(way, names);
}

/** Whether a search selects by name instead of selecting everything. */
export function selectsByName({ only = [] }: Pick<FileAccess, "only">): boolean {
	return only.some((glob) => /^[^!].*\w/.test(glob));
}

/** A glob without a slash matches any segment of the path; one with a slash the whole path. */
function globOf(glob: string): WayTest {
	const test = compileGlob(
		glob
			.replace(/^\.?\/+/, "")
			.replace(/\/+$/, "")
			.replaceAll("**/", "*"),
	);
	if (glob.replace(/\/+$/, "").includes("/")) return (way) => test(way.replaceAll("\\", "/"));
	return (way, names = namesOn(way)) => names.some((name) => test(name));
}
