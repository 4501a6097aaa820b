// The end of children: what their folders leave besides snapshots, and the join that takes it along.
import { lstat, mkdir, readdir } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import type { ChildLeftovers, JoinedFiles, KeptFiles, KeptFolder, Workspace } from "@pi-chronicle/core/ports";
import type { FileChange, FileLeft } from "@pi-chronicle/core/snapshot";
import { readBlobs, writeBlob } from "./blobs.ts";
import {
	describeIgnored,
	type EndingChild,
	findRest,
	listEmptyFolders,
	placeRest,
	readRest,
	writeRest,
} from "./child-rest.ts";
import { findChildPlace, pathInChild } from "./children.ts";
import { describeChanges, rawChanges, relativeTo } from "./compare.ts";
import { ioFailure } from "./failures.ts";
import { setMode } from "./file-modes.ts";
import { isNothing, modes, type TreeEntry } from "./git.ts";
import { joinFiles } from "./join.ts";
import { fromRaw, pathBytes, toRaw } from "./paths.ts";
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

/** See `Workspace.endChild`. */
export async function endChildFolder(
	store: Store,
	folder: string,
	child: string,
	kept: Pick<KeptFiles, "tree" | "unkept">,
): Promise<ChildLeftovers> {
	const found = await findChildPlace(folder, child);
	return found ? noteLeftovers(store, found, kept) : { files: [] };
}

/** Notes, next to the files of a folder, what its end leaves there. */
export async function noteLeftovers(
	store: Store,
	ending: EndingChild,
	{ tree, unkept }: Pick<KeptFiles, "tree" | "unkept">,
): Promise<ChildLeftovers> {
	const changes = await rawChanges(store, ending.start, tree, "apart");
	const files = await findRest(store, ending, changes, belowRoot(store, unkept));
	await writeRest(ending, files);
	const ignored = await describeIgnored(store, ending, { tree, changes });
	return { files, ignored };
}

/** A path below the root of all files, relative to the run's folder. */
function belowRun({ cwd, root }: Store, path: string): string {
	return relativeTo(cwd, root, toRaw(path));
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
	const { to, withheld } = await withoutForbidden(store, change, storeFolder);
	const own = await withOwnLinks(store, from, to, folder);
	const joined = await joinFiles(store, { from, to: own, names, folder: storeFolder, cwd: store.cwd });
	if (joined.conflicts.length > 0) return { ...joined, kept: [] };
	const unwritten = belowRoot(store, joined.left);
	const elsewhere = await findElsewhere(children.map(({ child }) => child));
	const kept = elsewhere.flatMap(({ folders }) => folders);
	const placed: string[] = [];
	const taking = { folder, forbidden: change.forbidden, joined: joined.tree, withheld, unwritten };
	for (const { child, tree } of children) {
		const found = await findChildPlace(folder, child);
		if (!found) continue;
		const taken = await takeRest(store, found, tree, taking);
		placed.push(...taken.placed);
		await writeRest(found, taken.left);
		if (taken.left.length > 0) kept.push({ child, path: found.root, files: taken.left });
	}
	const named = new Set([...placed, ...kept.flatMap(({ files }) => files.map(({ path }) => path))]);
	const left = [...joined.left, ...withheld.map(({ path, why }) => ({ path: belowRun(store, path), why }))];
	return {
		tree: placed.length > 0 ? (await store.snapshot()).tree : joined.tree,
		left: left.filter((file) => belowRoot(store, [file]).every(({ path }) => !named.has(path))),
		conflicts: [],
		kept,
	};
}

/** A join whose snapshot is written. */
interface TakingJoin {
	/** The run's private folder. */
	readonly folder: string;
	readonly forbidden: Join["forbidden"];
	/** The project's files after it. */
	readonly joined: string;
	/** What it must not change, and what it could not write. */
	readonly withheld: readonly FileLeft[];
	readonly unwritten: readonly FileLeft[];
}

/** Takes from the folder of a child what its snapshot `tree` does not hand over. `left`: what stays only there. */
async function takeRest(
	store: Store,
	child: EndingChild,
	tree: string,
	{ folder, forbidden, joined, withheld, unwritten }: TakingJoin,
): Promise<{ readonly placed: readonly string[]; readonly left: readonly FileLeft[] }> {
	const changes = await rawChanges(store, child.start, tree, "apart");
	const changed = new Set(changes.map(({ path }) => fromRaw(path)));
	const made = changes.flatMap(({ path, after }) => (isNothing(after.object) ? [] : [fromRaw(path)]));
	await takeModes(store, child, { made, tree, joined });
	const held = withheld.filter(({ path }) => changed.has(path));
	const names = new Set(held.map(({ path }) => path));
	const recorded = (await readRest(child)) ?? [];
	const rest = (await findRest(store, child, changes, recorded)).filter(({ path }) => !names.has(path));
	const judged = await judgeRest(store, child, rest, forbidden);
	const copied = await placeRest(store, child, judged.allowed, folder);
	await makeEmptyFolders(store, await listEmptyFolders(store, child, { tree, changes }), forbidden);
	const known = new Set([...rest, ...held].map(({ path }) => path));
	const blocked = blockedBy(unwritten, made).filter(({ path }) => !known.has(path));
	return { placed: copied.placed, left: [...copied.left, ...judged.forbidden, ...held, ...blocked] };
}

/** The snapshot `to`, with changed links into the folder of a child turned into links to the same place in the project. */
async function withOwnLinks(store: Store, from: string, to: string, folder: string): Promise<string> {
	const links = (await rawChanges(store, from, to, "apart")).filter(({ after }) => after.mode === modes.link);
	const targets = await readBlobs(store, [...new Set(links.map(({ after }) => after.object))]);
	const edits: TreeEntry[] = [];
	for (const { path, after } of links) {
		const target = targets.get(after.object)?.toString("utf8") ?? "";
		const below = pathInChild(folder, target);
		if (below !== undefined)
			edits.push({ path, mode: after.mode, object: await writeBlob(store, Buffer.from(join(store.root, below))) });
	}
	return editTree(store, to, edits, join(folder, "files"));
}

/** Those of the changes that must not be made. */
async function findForbidden(
	forbidden: Join["forbidden"],
	changes: readonly FileChange[],
): Promise<readonly FileLeft[]> {
	if (!forbidden || changes.length === 0) return [];
	const found = await forbidden(changes);
	if (!found.ok) throw ioFailure(found.failure.message, found.failure.remedy);
	return found.value;
}

/** The snapshot `to`, with what must not be changed as it is in `from`, and the paths below the root of what was changed. */
async function withoutForbidden(
	store: Store,
	{ from, to, forbidden }: Join,
	folder: string,
): Promise<{ readonly to: string; readonly withheld: readonly FileLeft[] }> {
	if (!forbidden) return { to, withheld: [] };
	// A rename is a removal too: each is judged.
	const changed = await rawChanges(store, from, to, "apart");
	const withheld = belowRoot(store, await findForbidden(forbidden, describeChanges(store, store.cwd, changed)));
	const paths = new Set(withheld.map(({ path }) => toRaw(path)));
	const edits = changed.filter(({ path }) => paths.has(path)).map(({ path, before }) => ({ path, ...before }));
	return { to: await editTree(store, to, edits, folder), withheld };
}

/** Gives the files that the join has taken unmerged from a child the permissions that they have there. */
async function takeModes(
	store: Store,
	{ root }: EndingChild,
	{ made, tree, joined }: { readonly made: readonly string[]; readonly tree: string; readonly joined: string },
): Promise<void> {
	const others = new Set((await rawChanges(store, tree, joined, "apart")).map(({ path }) => path));
	for (const path of made.map(toRaw).filter((one) => !others.has(one))) {
		const stats = await lstat(pathBytes(root, path)).catch(() => undefined);
		if (stats?.isFile()) await setMode(pathBytes(store.root, path), stats.mode & 0o777);
	}
}

/** Those of `made` that could not be written, because something at, in or above them is one of `left`, which stayed as it was. */
function blockedBy(left: readonly FileLeft[], made: readonly string[]): readonly FileLeft[] {
	return left.flatMap(({ path, why }) =>
		made
			.filter((one) => one === path || one.startsWith(`${path}/`) || path.startsWith(`${one}/`))
			.map((one) => ({ path: one, why: one === path ? why : `${path}: ${why}` })),
	);
}

/** Makes the empty folders of a child in the project, where nothing is in the way. */
async function makeEmptyFolders(store: Store, folders: readonly string[], forbidden: Join["forbidden"]): Promise<void> {
	for (const folder of folders) {
		const path = relativeTo(store.cwd, store.root, folder);
		const [refused] = await findForbidden(forbidden, [{ path, change: "A" }]);
		if (!refused) await mkdir(pathBytes(store.root, folder), { recursive: true }).catch(() => {});
	}
}

/** Separates the repositories that contain something that must not be written. */
async function judgeRest(
	store: Store,
	{ root }: EndingChild,
	rest: readonly FileLeft[],
	forbidden: Join["forbidden"],
): Promise<{ readonly allowed: readonly FileLeft[]; readonly forbidden: readonly FileLeft[] }> {
	const allowed: FileLeft[] = [];
	const refused: FileLeft[] = [];
	for (const entry of forbidden ? rest : []) {
		const paths = await filesOfPlace(join(root, entry.path), entry.path);
		const changes = paths.map((path) => ({ path: belowRun(store, path), change: "A" }) as const);
		const [first] = await findForbidden(forbidden, changes);
		if (first) refused.push({ path: entry.path, why: `${entry.why}; ${first.path}: ${first.why}` });
		else allowed.push(entry);
	}
	return { allowed: forbidden ? allowed : rest, forbidden: refused };
}

/** The files at and below `place`, as paths below `name`, without those of git itself. */
async function filesOfPlace(place: string, name: string): Promise<readonly string[]> {
	const stats = await lstat(place);
	if (!stats.isDirectory()) return [name];
	const below = await readdir(place, { recursive: true, withFileTypes: true });
	return below
		.filter((entry) => !entry.isDirectory())
		.map((entry) => relative(place, join(entry.parentPath, entry.name)).split(sep))
		.filter((parts) => !parts.includes(".git"))
		.map((parts) => posix.join(name, ...parts));
}
