// Searches the disk for the first protected path below a directory that a command walks.
// Invariants: the walk is breadth first and bounded by a number of names, never by time; reaching the bound is reported and never means "not
// found"; links are not followed.
import { join, relative } from "node:path";
import { folderEntries } from "../../../disk/index.ts";
import { compileGlob, type FileAccess } from "../../../footprint/index.ts";
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

/** The state of a walk below a directory. */
interface TreeWalk {
	/** Paths that a rule covers, in the order in which they were found. */
	readonly relevant: { readonly path: string; readonly way: string; readonly names: readonly string[] }[];
	/** Directories to read. */
	readonly open: string[];
	count: number;
	state: "open" | "complete" | "too large";
}

/** The walks of one judgment: its commands often walk the same folder. */
export interface TreeWalks {
	readonly trees: Map<string, TreeWalk>;
	/** The rules for a path, by kind of access and path. */
	readonly rules: Map<string, readonly PathRule[]>;
	/** Whether any rule covers a path. */
	readonly isRelevant: (path: string) => boolean;
	/** Remaining number of names to examine. */
	names: number;
}

/** Names that one walk examines; all walks of one judgment examine twice as many. */
const MAX_NAMES = 20_000;

export function openTreeWalks(isRelevant: (path: string) => boolean): TreeWalks {
	return {
		trees: new Map(),
		rules: new Map(),
		isRelevant,
		names: 2 * MAX_NAMES,
	};
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
	const tree = openTree(search);
	for (const { path, way, names: on } of tree.places())
		if (reaches(way, on) && isProtected(path) && !isSkipped(path)) return { kind: "protected", path };
	return tree.isTooLarge() ? { kind: "too-much" } : { kind: "nothing" };
}

/** Whether the command reaches a path, given relative to the directory and as its segments. */
function reachOf(access: FileAccess): (way: string, on?: readonly string[]) => boolean {
	const selects = compileSelection(access);
	const hides = access.skips?.includes("hidden") ?? false;
	return (way, on = namesOn(way)) => selects(way, on) && !(hides && on.some((name) => name.startsWith(".")));
}

/** Opens the walk below `access.real`; walks of the same judgment that skip the same paths share one. */
function openTree({ access, passOver, seen }: TreeSearch) {
	const hides = access.skips?.includes("hidden") ?? false;
	const excluded = access.only?.filter((glob) => glob.startsWith("!")) ?? [];
	const key = [access.real, hides, passOver.size > 0, ...excluded].join("\0");
	const tree = seen.trees.get(key) ?? { relevant: [], open: [access.real], count: 0, state: "open" };
	seen.trees.set(key, tree);
	const isExcluded = compileExclusion(access);
	const enters = (name: string, path: string) => !passOver.has(name) && !isExcluded(relative(access.real, path));
	return {
		/** The paths that the rules protect, read from the disk on demand. */
		*places() {
			for (let at = 0; ; at++) {
				while (at >= tree.relevant.length && tree.state === "open")
					walkNextDirectory(tree, access.real, hides, enters, seen);
				const place = tree.relevant[at];
				if (place === undefined) return;
				yield place;
			}
		},
		isTooLarge: () => tree.state === "too large",
	};
}

/** Reads the next directory. */
function walkNextDirectory(
	tree: TreeWalk,
	root: string,
	hides: boolean,
	enters: (name: string, path: string) => boolean,
	seen: TreeWalks,
): void {
	const directory = tree.open.shift();
	if (directory === undefined) {
		tree.state = "complete";
		return;
	}
	const entries = folderEntries(directory);
	for (const entry of entries) {
		if (hides && entry.name.startsWith(".")) continue;
		const path = join(directory, entry.name);
		if (seen.isRelevant(path)) {
			const way = relative(root, path);
			tree.relevant.push({ path, way, names: namesOn(way) });
		}
		if (entry.isDirectory() && enters(entry.name, path)) tree.open.push(path);
	}
	tree.count += entries.length;
	seen.names -= entries.length + 1;
	if (tree.count > MAX_NAMES || seen.names < 0) tree.state = "too large";
}

function namesOn(way: string): readonly string[] {
	return way.split(/[\\/]/);
}

/** Tests a path below a directory; `names` are its segments, if they are known already. */
type WayTest = (way: string, names?: readonly string[]) => boolean;

/** Tests whether the globs of a search exclude a place and everything in it. */
function compileExclusion({ only = [] }: Pick<FileAccess, "only">): WayTest {
	const unwanted = only.filter((glob) => glob.startsWith("!")).map((glob) => globOf(glob.slice(1)));
	return (way, names) => unwanted.some((fits) => fits(way, names));
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
