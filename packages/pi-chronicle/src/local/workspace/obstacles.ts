// Finds files that a restore would overwrite and no snapshot has: ignored files and folders, links, newly created files. All of them must be saved
// first; a file that cannot be saved blocks the restore.
// Links are inspected, never followed; files that are too large, secret, special or unreadable, and repositories, cannot be saved.
import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import type { RawChange } from "./compare.ts";
import { stopped } from "./failures.ts";
import { isNothing } from "./git.ts";
import { foldersAbove, fromRaw, isReadable, pathBytes } from "./paths.ts";
import type { Store } from "./store.ts";

export interface Obstacles {
	/** To be saved: paths below the root, bytes as latin1. */
	readonly keep: readonly string[];
	readonly blocked: readonly FileLeft[];
}

interface ObstacleSearch {
	readonly store: Store;
	/** Paths that the last snapshot has. */
	readonly indexed: ReadonlySet<string>;
	readonly keep: Set<string>;
	readonly blocked: Map<string, string>;
	/** Entries at the paths of folders that were already inspected. */
	readonly seen: Map<string, "folder" | "other">;
}

const maxBlocked = 1000;

/** Inspects the paths of `writes`, which are about to be restored. */
export async function findObstacles(store: Store, writes: readonly RawChange[]): Promise<Obstacles> {
	const restored = writes.filter(({ after }) => !isNothing(after.object));
	if (restored.length === 0) return { keep: [], blocked: [] };
	const listed = await store.git(["ls-files", "-z"]);
	const search: ObstacleSearch = {
		store,
		indexed: new Set(listed.output.toString("latin1").split("\0")),
		keep: new Set(),
		blocked: new Map(),
		seen: new Map(),
	};
	for (const { path } of restored) {
		if (store.control.signal?.aborted) throw stopped();
		await inspectPlace(search, path);
		if (search.keep.size > store.limits.files) search.blocked.set(path, "contains too many files");
		if (search.blocked.size > maxBlocked) break;
	}
	const blocked = [...search.blocked].map(([path, why]) => ({ path: fromRaw(path), why }));
	return { keep: [...search.keep], blocked };
}

/** Inspects the first parent of `path` that is not a folder, or the entry at `path`. */
async function inspectPlace(search: ObstacleSearch, path: string): Promise<void> {
	for (const folder of foldersAbove(path)) {
		const known = search.seen.get(folder);
		if (known === "folder") continue;
		// The target of a link is elsewhere.
		if (known === "other") return;
		const stats = await statOf(search.store, folder);
		search.seen.set(folder, stats?.isDirectory() ? "folder" : "other");
		if (stats === undefined) return;
		if (!stats.isDirectory()) return addObstacle(search, folder, stats);
	}
	const stats = await statOf(search.store, path);
	if (stats) await addObstacle(search, path, stats);
}

async function statOf({ root }: Store, path: string): Promise<Stats | undefined> {
	return lstat(pathBytes(root, path)).catch(() => undefined);
}

/** Adds the entry at `path`, with everything in it, to the files to save or to the blocking ones; nothing if the snapshot has it. */
async function addObstacle(search: ObstacleSearch, path: string, stats: Stats): Promise<void> {
	const { store, indexed, keep, blocked } = search;
	if (stats.isDirectory()) return addFolder(search, path);
	if (indexed.has(path)) return;
	const why = reasonNotStored(store, path, stats);
	if (why === undefined) keep.add(path);
	else blocked.set(path, why);
}

async function addFolder(search: ObstacleSearch, path: string): Promise<void> {
	const { store, indexed, keep, blocked } = search;
	if (indexed.has(path)) return void blocked.set(path, "is a nested repository");
	const never = store.exclusionOf(path);
	if (never !== undefined) return void blocked.set(path, never);
	if (keep.size > store.limits.files || store.control.signal?.aborted) return;
	const names = await readdir(pathBytes(store.root, path), { encoding: "buffer" }).catch(() => undefined);
	if (names === undefined) return void blocked.set(path, "cannot be listed");
	for (const bytes of names) {
		const name = bytes.toString("latin1");
		if (name === ".git") return void blocked.set(path, "is a nested repository");
		const stats = await statOf(store, `${path}/${name}`);
		if (stats) await addObstacle(search, `${path}/${name}`, stats);
	}
}

function reasonNotStored(store: Store, path: string, stats: Stats): string | undefined {
	const never = store.exclusionOf(path);
	if (never !== undefined) return never;
	if (stats.isSymbolicLink()) return undefined;
	if (!stats.isFile()) return "is not a regular file";
	const kind = store.placeholderFor(path, stats.size);
	if (kind !== undefined) return kind === "secret" ? "is secret by its name" : "is too large to keep";
	return isReadable(store.root, path) ? undefined : "cannot be read";
}
