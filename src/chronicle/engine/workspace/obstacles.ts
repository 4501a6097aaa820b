// What lies where files would come back and is in no kept state: ignored files and folders, links, what was made meanwhile. All of it is to
// be kept first, whole; what cannot be kept stops the rewind.
// B1 links are looked at, never followed; B2 what is too large, secret, special, unreadable or a repository of its own cannot be kept.
import { constants, type Stats } from "node:fs";
import { access, lstat, readdir } from "node:fs/promises";
import type { FileLeft, Result, WorkspaceFailure } from "../../core/index.ts";
import type { RawChange } from "./compare.ts";
import { gitFailure } from "./failures.ts";
import { isNothing } from "./git.ts";
import { foldersAbove, fromRaw, placeOf } from "./paths.ts";
import type { Store } from "./store.ts";

export interface Obstacles {
	/** To be kept: paths below the root, bytes as latin1. */
	readonly keep: readonly string[];
	readonly blocked: readonly FileLeft[];
}

/** Looks at the places of `writes`, which are to come back. */
export async function findObstacles(
	store: Store,
	writes: readonly RawChange[],
): Promise<Result<Obstacles, WorkspaceFailure>> {
	const coming = writes.filter(({ after }) => !isNothing(after.object));
	if (coming.length === 0) return { ok: true, value: { keep: [], blocked: [] } };
	const listed = await store.git(["ls-files", "-z"]);
	if (listed.kind !== "done") return gitFailure(listed);
	const search: Search = {
		store,
		indexed: new Set(listed.output.toString("latin1").split("\0")),
		keep: new Set(),
		blocked: new Map(),
	};
	const seen = new Set<string>();
	for (const { path } of coming) {
		if (store.control.signal?.aborted) return gitFailure({ kind: "aborted" });
		for (const place of [...foldersAbove(path), path]) {
			if (place !== path && seen.has(place)) continue;
			seen.add(place);
			const stats = await look(store, place);
			if (stats === undefined) break;
			if (stats.isDirectory() && place !== path) continue;
			await take(search, place, stats);
			break;
		}
		if (search.keep.size > store.limits.files) search.blocked.set(path, "holds too many files");
		if (search.blocked.size > 1000) break;
	}
	const blocked = [...search.blocked].map(([path, why]) => ({ path: fromRaw(path), why }));
	return { ok: true, value: { keep: [...search.keep], blocked } };
}

interface Search {
	readonly store: Store;
	/** Paths that are kept. */
	readonly indexed: ReadonlySet<string>;
	readonly keep: Set<string>;
	readonly blocked: Map<string, string>;
}

async function look({ root }: Store, path: string): Promise<Stats | undefined> {
	return lstat(placeOf(root, path)).catch(() => undefined);
}

/** Takes what is at `path`, with all that is in it, unless it is kept already. */
async function take(search: Search, path: string, stats: Stats): Promise<void> {
	const { store, indexed, keep, blocked } = search;
	if (stats.isDirectory()) return takeFolder(search, path);
	if (indexed.has(path)) return;
	const why = await whyNot(store, path, stats);
	if (why === undefined) keep.add(path);
	else blocked.set(path, why);
}

async function takeFolder(search: Search, path: string): Promise<void> {
	const { store, indexed, keep, blocked } = search;
	if (indexed.has(path)) return void blocked.set(path, "is a repository of its own");
	if (store.isOwn(path)) return void blocked.set(path, "belongs to pi-chronicle");
	if (keep.size > store.limits.files || store.control.signal?.aborted) return;
	const names = await readdir(placeOf(store.root, path), { encoding: "buffer" }).catch(() => undefined);
	if (names === undefined) return void blocked.set(path, "cannot be looked into");
	for (const name of names) {
		const below = `${path}/${name.toString("latin1")}`;
		if (name.toString("latin1") === ".git") return void blocked.set(path, "is a repository of its own");
		const stats = await look(store, below);
		if (stats) await take(search, below, stats);
	}
}

async function whyNot(store: Store, path: string, stats: Stats): Promise<string | undefined> {
	if (store.isOwn(path)) return "belongs to pi-chronicle";
	if (stats.isSymbolicLink()) return undefined;
	if (!stats.isFile()) return "is no file";
	const kind = store.markFor(path, stats.size);
	if (kind !== undefined) return kind === "secret" ? "is secret by its name" : "is too large to keep";
	const readable = await access(placeOf(store.root, path), constants.R_OK).then(
		() => true,
		() => false,
	);
	return readable ? undefined : "cannot be read";
}
