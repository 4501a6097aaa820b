// Merges two snapshots path by path, without detecting renames: after an interrupted join, a file may be missing at its old path and not
// yet be at its new one, which would look like a deletion by the user. (git before 2.50 detects renames regardless of `merge.renames`.)

import type { MergedFiles, MergeSides } from "@pi-chronicle/core/ports";
import { type RawChange, rawChanges } from "./compare.ts";
import { type Conflict, openGroups } from "./conflicts.ts";
import { isNothing, modes, removal, type TreeEntry } from "./git.ts";
import { describeConflict, entriesOf, type MergeOptions, mergeSnapshots, openSides } from "./merge.ts";
import type { MergeStage } from "./merge-output.ts";
import { byPath, foldersAbove } from "./paths.ts";
import { editTree } from "./private-index.ts";
import type { Store } from "./store.ts";

type EntriesByPath = ReadonlyMap<string, TreeEntry>;

interface Trees {
	readonly base: EntriesByPath;
	readonly ours: EntriesByPath;
	readonly theirs: EntriesByPath;
}

/** Merges by path: git merges only contents that both sides changed in different ways. */
export async function mergeByPath(store: Store, sides: MergeSides, options: MergeOptions): Promise<MergedFiles> {
	const ours = await rawChanges(store, sides.base, sides.ours, "apart");
	const theirs = await rawChanges(store, sides.base, sides.theirs, "apart");
	const trees = await readTrees(store, sides);
	const { both, groups } = findContested(ours, theirs, trees.ours);
	const grouped = new Set(groups.flat());
	const contents = both.filter((path) => !grouped.has(path) && isOnBothSides(trees, path));
	const deleted = both.filter((path) => !grouped.has(path) && !isOnBothSides(trees, path));
	const contested = new Set([...both, ...grouped]);
	const edits = theirs
		.filter(({ path }) => !contested.has(path))
		.map(({ path, after }): TreeEntry => ({ path, ...after }));
	const merged = await mergeContents(store, sides, contents, trees, options);
	edits.push(...merged.edits);
	const own = [
		...deleted.map((path) => pathConflict(store, [path], "modify/delete", trees)),
		...groups.map((paths) => pathConflict(store, paths, "file/folder", trees)),
	];
	const { shown, sideOf } = openSides(store, options);
	for (const conflict of own) edits.push(...settleConflict(conflict, sideOf(conflict), trees));
	const tree = await editTree(store, sides.ours, edits, options.folder);
	const open = own.filter((conflict) => sideOf(conflict) === undefined);
	const conflicts = [
		...merged.conflicts,
		...open.map((conflict) => describeConflict(conflict, sides.names, shown, "")),
	].sort(byPath);
	return { tree, conflicts };
}

async function readTrees(store: Store, sides: MergeSides): Promise<Trees> {
	return {
		base: await entriesOf(store, sides.base),
		ours: await entriesOf(store, sides.ours),
		theirs: await entriesOf(store, sides.theirs),
	};
}

function isOnBothSides({ ours, theirs }: Trees, path: string): boolean {
	return ours.has(path) && theirs.has(path);
}

/** Paths that both sides changed in different ways, and groups of paths in which a file of one side excludes those of the other. */
function findContested(
	ours: readonly RawChange[],
	theirs: readonly RawChange[],
	now: EntriesByPath,
): { readonly both: string[]; readonly groups: string[][] } {
	const changed = new Map(ours.map((change) => [change.path, change.after]));
	const same = ({ path, after }: RawChange): boolean => {
		const one = changed.get(path);
		if (one === undefined) return false;
		return one.object === after.object && (one.mode === after.mode || isNothing(one.object));
	};
	const open = theirs.filter((change) => !same(change));
	const deleted = new Set(theirs.filter(({ after }) => isNothing(after.object)).map(({ path }) => path));
	// Files that they deleted and we changed stay until the conflict is resolved.
	const staying = [...now.keys()].filter((path) => !deleted.has(path) || changed.has(path));
	const files = new Set(staying);
	const below = new Map<string, string[]>();
	for (const path of staying)
		for (const folder of foldersAbove(path)) {
			const inside = below.get(folder);
			if (inside) inside.push(path);
			else below.set(folder, [path]);
		}
	const groups = openGroups();
	for (const { path, after } of open) {
		if (isNothing(after.object)) continue;
		const rivals = [...foldersAbove(path).filter((folder) => files.has(folder)), ...(below.get(path) ?? [])];
		if (rivals.length > 0) groups.join([path, ...rivals]);
	}
	return { both: open.map(({ path }) => path).filter((path) => changed.has(path)), groups: groups.all() };
}

function pathConflict(
	store: Store,
	paths: readonly string[],
	kind: Conflict["kind"],
	{ base, ours, theirs }: Trees,
): Conflict {
	const stages = paths.flatMap((path) =>
		[base, ours, theirs].flatMap((entries, index): MergeStage[] => {
			const entry = entries.get(path);
			return entry ? [{ ...entry, stage: (index + 1) as MergeStage["stage"] }] : [];
		}),
	);
	const isRepository = stages.some(({ mode }) => mode === modes.repository);
	const isUnkept = stages.some(({ object }) => store.placeholderOf(object) !== undefined);
	const [path = ""] = [...paths].sort();
	return { path, paths, stages, kind: isRepository ? "repository" : isUnkept ? "unkept" : kind };
}

/** The entries of the merged tree at the paths of a conflict: one side's; while it is open, ours, or theirs if ours does not exist. */
function settleConflict(
	{ paths }: Conflict,
	side: "ours" | "theirs" | undefined,
	{ ours, theirs }: Trees,
): TreeEntry[] {
	const wanted = side ?? (paths.some((path) => ours.has(path)) ? "ours" : "theirs");
	const entries = wanted === "ours" ? ours : theirs;
	return paths.map((path) => entries.get(path) ?? removal(path));
}

/** Merges contents that exist on both sides: git sees no other path, so it finds no renames. */
async function mergeContents(
	store: Store,
	{ names }: MergeSides,
	paths: readonly string[],
	{ base, ours, theirs }: Trees,
	options: MergeOptions,
): Promise<{ edits: TreeEntry[]; conflicts: MergedFiles["conflicts"] }> {
	if (paths.length === 0) return { edits: [], conflicts: [] };
	const trees: string[] = [];
	for (const entries of [base, ours, theirs]) {
		const only = paths.flatMap((path) => entries.get(path) ?? []);
		trees.push(await editTree(store, undefined, only, options.folder));
	}
	const [from = "", one = "", other = ""] = trees;
	const { tree, conflicts } = await mergeSnapshots(store, { base: from, ours: one, theirs: other, names }, options);
	const entries = await entriesOf(store, tree);
	return { edits: [...paths.map(removal), ...entries.values()], conflicts };
}
