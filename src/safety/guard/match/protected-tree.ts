// What lies below a directory that a command goes through: the first protected place in it, looked for on the real disk.
// W1 the walk is breadth first and bounded in number, never by the clock; a bound reached is said, never taken for "nothing there";
// W2 links are not followed: what they lead to is touched under its own name.
import { type Dirent, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { compileGlob, type FileAccess } from "../../../footprint/index.ts";
import type { PathRule } from "../rules/index.ts";
import type { GitView } from "./git-view.ts";

export type TreeSearchResult =
	| { readonly kind: "protected"; readonly path: string }
	| { readonly kind: "nothing" }
	/** There is more below than is looked at. */
	| { readonly kind: "too-much" };

export interface TreeSearch {
	readonly touch: FileAccess;
	/** Places to look at whatever their depth; absolute. */
	readonly places: readonly string[];
	/** Whether names have to be looked at, or the known places are all there is. */
	readonly names: boolean;
	/** Whether the rules that count here speak of this path. */
	readonly isProtected: (path: string) => boolean;
	/** Directories, by name, that are not gone into. */
	readonly passOver: ReadonlySet<string>;
	readonly exists: (path: string) => boolean;
	/** What earlier walks of the same judgement saw. */
	readonly seen: TreeWalks;
	readonly git: GitView;
}

/** A walk below a directory, as far as it has come: what any rule speaks of, in the order in which it was met. */
interface TreeWalk {
	readonly spoken: { readonly path: string; readonly way: string; readonly names: readonly string[] }[];
	/** Directories that are still to be looked at. */
	readonly open: string[];
	count: number;
	state: "going on" | "whole" | "too much";
}

/** The trees that one judgement has walked: commands often go through the same folder. */
export interface TreeWalks {
	readonly trees: Map<string, TreeWalk>;
	/** The rules for a path, by the kind of access and the path. */
	readonly rules: Map<string, readonly PathRule[]>;
	/** Whether any rule at all speaks of a path. */
	readonly isSpokenOf: (path: string) => boolean;
	/** Names that may still be looked at. */
	names: number;
}

/** Names that one walk looks at; all walks of one judgement look at twice as many. */
const MAX_NAMES = 20_000;

/** Opens the memory of one judgement. */
export function openTreeWalks(isSpokenOf: (path: string) => boolean): TreeWalks {
	return {
		trees: new Map(),
		rules: new Map(),
		isSpokenOf,
		names: 2 * MAX_NAMES,
	};
}

/** Looks for a protected place below `touch.real`, the kinds of place left out that the command itself passes over. */
export function findProtected({
	touch,
	places,
	names,
	isProtected,
	passOver,
	exists,
	seen,
	git,
}: TreeSearch): TreeSearchResult {
	const selects = compileSelection(touch);
	const hides = touch.skips?.includes("hidden") ?? false;
	/** Whether the command gets to a place, by its way from the directory and the names on it. */
	const reaches = (way: string, on = namesOn(way)) =>
		selects(way, on) && !(hides && on.some((name) => name.startsWith(".")));
	const isPassedOver = (path: string) =>
		(touch.skips?.includes("untracked") && git.isUntracked(path)) ||
		(touch.skips?.includes("ignored") && git.isIgnored(path));
	for (const place of places)
		if (reaches(relative(touch.real, place)) && exists(place) && !isPassedOver(place))
			return { kind: "protected", path: place };
	if (!names) return { kind: "nothing" };

	const excluded = touch.only?.filter((glob) => glob.startsWith("!")) ?? [];
	const key = [touch.real, hides, passOver.size > 0, ...excluded].join("\0");
	const tree = seen.trees.get(key) ?? { spoken: [], open: [touch.real], count: 0, state: "going on" };
	seen.trees.set(key, tree);
	const leavesOut = compileExclusion(touch);
	const enters = (name: string, path: string) => !passOver.has(name) && !leavesOut(relative(touch.real, path));
	for (let at = 0; ; at++) {
		while (at >= tree.spoken.length && tree.state === "going on")
			walkNextDirectory(tree, touch.real, hides, enters, seen);
		const place = tree.spoken[at];
		if (place === undefined) return tree.state === "too much" ? { kind: "too-much" } : { kind: "nothing" };
		const { path, way } = place;
		if (reaches(way, place.names) && isProtected(path) && !isPassedOver(path)) return { kind: "protected", path };
	}
}

/** Looks at one more directory of the walk. */
function walkNextDirectory(
	tree: TreeWalk,
	root: string,
	hides: boolean,
	enters: (name: string, path: string) => boolean,
	seen: TreeWalks,
): void {
	const directory = tree.open.shift();
	if (directory === undefined) {
		tree.state = "whole";
		return;
	}
	const entries = entriesOf(directory);
	for (const entry of entries) {
		if (hides && entry.name.startsWith(".")) continue;
		const path = join(directory, entry.name);
		if (seen.isSpokenOf(path)) {
			const way = relative(root, path);
			tree.spoken.push({ path, way, names: namesOn(way) });
		}
		if (entry.isDirectory() && enters(entry.name, path)) tree.open.push(path);
	}
	tree.count += entries.length;
	seen.names -= entries.length + 1;
	if (tree.count > MAX_NAMES || seen.names < 0) tree.state = "too much";
}

function namesOn(way: string): readonly string[] {
	return way.split(/[\\/]/);
}

/** Tells whether a glob fits a way, by the names on it where they are known already. */
type WayTest = (way: string, names?: readonly string[]) => boolean;

/** Whether the globs of a search pass over a place and all that is in it. */
function compileExclusion({ only = [] }: Pick<FileAccess, "only">): WayTest {
	const unwanted = only.filter((glob) => glob.startsWith("!")).map((glob) => globOf(glob.slice(1)));
	return (way, names) => unwanted.some((fits) => fits(way, names));
}

/** Whether the globs of a search let a file through, by its path relative to the directory that is searched. */
export function compileSelection({ only = [] }: Pick<FileAccess, "only">): WayTest {
	const wanted = only.filter((glob) => !glob.startsWith("!")).map(globOf);
	const leavesOut = compileExclusion({ only });
	return (way, names) => (wanted.length === 0 || wanted.some((fits) => fits(way, names))) && !leavesOut(way, names);
}

/** Whether a search picks what it finds by a name that says something. */
export function selectsByName({ only = [] }: Pick<FileAccess, "only">): boolean {
	return only.some((glob) => /^[^!].*\w/.test(glob));
}

/** A glob without a slash fits any segment of the way; one with a slash the whole way. */
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

function entriesOf(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch {
		return [];
	}
}
