// The end of children: what their folders leave besides snapshots, and the join that takes it along.
import { join, posix } from "node:path";
import type { ChildLeftovers, FileLeft, JoinedFiles, KeptFiles, KeptFolder, Workspace } from "../../core/index.ts";
import { describeIgnored, type EndingChild, findRest, placeRest, writeRest } from "./child-rest.ts";
import { findChildPlace } from "./children.ts";
import { rawChanges } from "./compare.ts";
import { joinFiles } from "./join.ts";
import { fromRaw, toRaw } from "./paths.ts";
import { editTree } from "./private-index.ts";
import type { Store } from "./store.ts";

/** What a child has left in a folder on another machine. */
export interface EndedElsewhere {
	readonly child: string;
	readonly ignored?: string;
	/** Folders there with files that no snapshot hands over. */
	readonly folders: readonly KeptFolder[];
}

/** What children have left on other machines; without names, all children of the run. */
export type FindElsewhere = (children?: readonly string[]) => Promise<readonly EndedElsewhere[]>;

/** The folder of child `child`; `undefined` if there is none. `folder`: the private folder of its parent. */
export async function endingChild(folder: string, child: string): Promise<EndingChild | undefined> {
	return findChildPlace(folder, child);
}

/** See `Workspace.endChild`. */
export async function endChildFolder(
	store: Store,
	folder: string,
	child: string,
	kept: Pick<KeptFiles, "tree" | "unkept">,
): Promise<ChildLeftovers> {
	const found = await endingChild(folder, child);
	return found ? noteLeftovers(store, found, kept) : { files: [] };
}

/** Notes, next to the files of a folder, what its end leaves there. */
export async function noteLeftovers(
	store: Store,
	ending: EndingChild,
	{ tree, unkept }: Pick<KeptFiles, "tree" | "unkept">,
): Promise<ChildLeftovers> {
	const files = await findRest(store, ending, tree, belowRoot(store, unkept));
	await writeRest(ending, files);
	const ignored = await describeIgnored(store, ending, tree);
	return { files, ...(ignored === undefined ? {} : { ignored }) };
}

/** Files that are named relative to the run's folder, relative to the root of all files. */
function belowRoot({ repository }: Store, files: readonly FileLeft[]): FileLeft[] {
	return files.map(({ path, why }) => ({ path: posix.join(fromRaw(repository.below), path), why }));
}

type Join = Parameters<Workspace["join"]>[0];
type Joined = JoinedFiles & { readonly kept: readonly KeptFolder[] };

/** See `Workspace.join`. `folder`: the run's private folder. */
export async function joinChildren(
	store: Store,
	change: Join,
	folder: string,
	findElsewhere: FindElsewhere,
): Promise<Joined> {
	const { from, names, children = [] } = change;
	const storeFolder = join(folder, "files");
	const withhold = belowRoot(store, change.withhold ?? []);
	const to = await withoutWithheld(store, { ...change, withhold }, storeFolder);
	const joined = await joinFiles(store, { from, to, names, folder: storeFolder, cwd: store.cwd });
	if (joined.conflicts.length > 0) return { ...joined, kept: [] };
	const elsewhere = await findElsewhere(children.map(({ child }) => child));
	const kept = elsewhere.flatMap(({ folders }) => folders);
	const placed: string[] = [];
	for (const { child, tree } of children) {
		const found = await endingChild(folder, child);
		if (!found) continue;
		const held = await withheldOf(store, found, tree, withhold);
		const rest = await placeRest(store, found, await findRest(store, found, tree, []), folder);
		placed.push(...rest.placed);
		const files = [...rest.left, ...held];
		await writeRest(found, files);
		if (files.length > 0) kept.push({ child, path: found.root, files });
	}
	const named = new Set([...placed, ...kept.flatMap(({ files }) => files.map(({ path }) => path))]);
	return {
		tree: placed.length > 0 ? (await store.snapshot()).tree : joined.tree,
		left: joined.left.filter((file) => belowRoot(store, [file]).every(({ path }) => !named.has(path))),
		conflicts: [],
		kept,
	};
}

/** The snapshot `to`, with the files that must not change as they are in `from`. */
async function withoutWithheld(store: Store, { from, to, withhold = [] }: Join, folder: string): Promise<string> {
	if (withhold.length === 0) return to;
	const paths = new Set(withhold.map(({ path }) => toRaw(path)));
	const changed = await rawChanges(store, from, to, "apart");
	const edits = changed.filter(({ path }) => paths.has(path)).map(({ path, before }) => ({ path, ...before }));
	return editTree(store, to, edits, folder);
}

/** Those of the withheld files that the child has changed. */
async function withheldOf(
	store: Store,
	{ start }: EndingChild,
	tree: string,
	withhold: readonly FileLeft[],
): Promise<readonly FileLeft[]> {
	if (withhold.length === 0) return [];
	const changed = new Set((await rawChanges(store, start, tree, "apart")).map(({ path }) => fromRaw(path)));
	return withhold.filter(({ path }) => changed.has(path));
}
