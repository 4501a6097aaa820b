// Ignored files that a template counts as files of the run (`keep`).
import { lstat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { findFiles } from "./path-glob.ts";
import { toRaw } from "./paths.ts";
import type { Store } from "./store.ts";

/** Makes the files that fit one of `patterns` part of the next snapshots, unless their contents are not stored. */
export async function addKept(store: Store, patterns: readonly string[]): Promise<void> {
	if (patterns.length === 0) return;
	const paths: string[] = [];
	for (const path of await findFiles(store, patterns)) {
		const absolute = join(store.cwd, path);
		const stats = await lstat(absolute).catch(() => undefined);
		const raw = toRaw(relative(store.root, absolute).split(sep).join("/"));
		if (!stats || (!stats.isFile() && !stats.isSymbolicLink())) continue;
		if (stats.isSymbolicLink() || store.placeholderFor(raw, stats.size) === undefined) paths.push(raw);
	}
	if (paths.length > 0) await store.add(paths);
}
