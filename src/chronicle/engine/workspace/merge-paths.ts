// Merges two snapshots path by path, without looking for renames: where a join was interrupted, a file may be gone from its old place and not be at
// its new one yet, which would look like a deletion by the user. (git before 2.50 looks for renames whatever `merge.renames` says.)
import type { MergedFiles, MergeSides, Result, WorkspaceFailure } from "../../core/index.ts";
import { type RawChange, rawChanges } from "./compare.ts";
import { isNothing, type TreeEntry } from "./git.ts";
import { entriesOf, type MergeOptions, mergeSnapshots } from "./merge.ts";
import { foldersAbove } from "./paths.ts";
import { editTree } from "./private-index.ts";
import type { Store } from "./store.ts";

type Entries = ReadonlyMap<string, TreeEntry>;

const nothing = "0".repeat(40);

/** Merges by paths: git merges only what both sides changed in different ways. */
export async function mergeByPath(
	store: Store,
	sides: MergeSides,
	options: Omit<MergeOptions, "take">,
): Promise<Result<MergedFiles, WorkspaceFailure>> {
	const ours = await rawChanges(store, sides.base, sides.ours, "apart");
	if (!ours.ok) return ours;
	const theirs = await rawChanges(store, sides.base, sides.theirs, "apart");
	if (!theirs.ok) return theirs;
	const [base, now] = [await entriesOf(store, sides.base), await entriesOf(store, sides.ours)];
	if (!base.ok) return base;
	if (!now.ok) return now;
	const contested = findContested(ours.value, theirs.value, now.value);
	const plain = theirs.value
		.filter(({ path }) => !contested.has(path))
		.map(({ path, after }): TreeEntry => ({ path, ...after }));
	if (contested.size === 0) {
		const edited = await editTree(store, sides.ours, plain, options.folder);
		return edited.ok ? { ok: true, value: { tree: edited.value, conflicts: [] } } : edited;
	}
	const merged = await mergeContested(
		store,
		sides,
		{ contested, base: base.value, now: now.value, theirs: theirs.value },
		options,
	);
	if (!merged.ok) return merged;
	const settled = await entriesOf(store, merged.value.tree);
	if (!settled.ok) return settled;
	const removed = [...contested].map((path) => ({ path, mode: "0", object: nothing }));
	const edits = [...plain, ...removed, ...settled.value.values()];
	const tree = await editTree(store, sides.ours, edits, options.folder);
	return tree.ok ? { ok: true, value: { tree: tree.value, conflicts: merged.value.conflicts } } : tree;
}

/** Paths that both sides changed in different ways, or where one side's file leaves no room for the other's. */
function findContested(ours: readonly RawChange[], theirs: readonly RawChange[], now: Entries): Set<string> {
	const byPath = new Map(ours.map((change) => [change.path, change.after]));
	const same = ({ path, after }: RawChange): boolean => {
		const one = byPath.get(path);
		return one !== undefined && one.mode === after.mode && one.object === after.object;
	};
	const open = theirs.filter((change) => !same(change));
	const contested = new Set(open.map(({ path }) => path).filter((path) => byPath.has(path)));
	const deleted = new Set(theirs.filter(({ after }) => isNothing(after.object)).map(({ path }) => path));
	const staying = [...now.keys()].filter((path) => !deleted.has(path));
	const files = new Set(staying);
	const below = new Map<string, string[]>();
	for (const path of staying)
		for (const folder of foldersAbove(path)) {
			const inside = below.get(folder);
			if (inside) inside.push(path);
			else below.set(folder, [path]);
		}
	for (const { path, after } of open) {
		if (isNothing(after.object)) continue;
		const rivals = [...foldersAbove(path).filter((folder) => files.has(folder)), ...(below.get(path) ?? [])];
		for (const rival of rivals) contested.add(rival).add(path);
	}
	return contested;
}

interface Contest {
	readonly contested: ReadonlySet<string>;
	readonly base: Entries;
	readonly now: Entries;
	readonly theirs: readonly RawChange[];
}

/** Merges three trees that hold the contested paths alone. */
async function mergeContested(
	store: Store,
	{ names }: MergeSides,
	{ contested, base, now, theirs }: Contest,
	options: Omit<MergeOptions, "take">,
): Promise<Result<MergedFiles, WorkspaceFailure>> {
	const only = (entries: Entries): TreeEntry[] => [...contested].flatMap((path) => entries.get(path) ?? []);
	const changed = new Map(theirs.map(({ path, after }) => [path, { path, ...after }]));
	const after = new Map([...base, ...changed]);
	for (const [path, { object }] of after) if (isNothing(object)) after.delete(path);
	const trees: string[] = [];
	for (const entries of [base, now, after]) {
		const tree = await editTree(store, undefined, only(entries), options.folder);
		if (!tree.ok) return tree;
		trees.push(tree.value);
	}
	const [from = "", one = "", other = ""] = trees;
	return mergeSnapshots(store, { base: from, ours: one, theirs: other, names }, options);
}
