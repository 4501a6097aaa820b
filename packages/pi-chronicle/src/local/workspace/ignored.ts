// Finds the paths that a snapshot ignores by its own patterns, which may differ from the current ones.

import { lstat, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative, sep } from "node:path";
import { inTemporaryFolder } from "../../disk/index.ts";
import { readBlobs } from "./blobs.ts";
import { nulled } from "./git.ts";
import { entriesOf } from "./merge.ts";
import { findFiles } from "./path-glob.ts";
import { toRaw } from "./paths.ts";
import type { Store } from "./store.ts";

/** Those of `paths` (bytes as latin1, below the root) that the `.gitignore` files of `tree` ignore. */
export async function ignoredBy(store: Store, tree: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
	if (paths.length === 0) return new Set();
	const entries = [...(await entriesOf(store, tree)).values()];
	const patterns = entries.filter(({ path, mode }) => mode.startsWith("100") && posix.basename(path) === ".gitignore");
	return inTemporaryFolder(async (folder) => {
		const contents = await readBlobs(store, [...new Set(patterns.map(({ object }) => object))]);
		for (const { object, path } of patterns) {
			const place = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
			await mkdir(dirname(place.toString("utf8")), { recursive: true });
			await writeFile(place, contents.get(object) ?? "");
		}
		// Exit code 1: none is ignored.
		const checked = await store.git(["check-ignore", "--no-index", "-z", "--stdin"], {
			input: nulled(paths),
			workTree: folder,
			accept: [1],
		});
		return new Set(checked.output.toString("latin1").split("\0").filter(Boolean));
	});
}

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
