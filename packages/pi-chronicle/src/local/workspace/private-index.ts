// The private index of a store: reads its entries, sets and removes them.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { gitFailure, isDiskFull } from "./failures.ts";
import { type GitResult, indexInfo, isNothing, modes, nulled, removal, type TreeEntry } from "./git.ts";
import type { Store } from "./store.ts";

/** Parts of the index that git alone would misinterpret. */
export interface IndexContents {
	readonly repositories: Set<string>;
	/** Placeholders by path. */
	readonly placeholders: Map<string, string>;
	/** Paths that are not part of this run's files: added by a version that stored the whole repository. */
	readonly outside: readonly string[];
}

/** Reads the index. */
export async function readIndex(store: Pick<Store, "git" | "contains">): Promise<IndexContents> {
	const listed = await store.git(["ls-files", "-z", "-t", "--stage"]);
	const outside: string[] = [];
	const contents = { repositories: new Set<string>(), placeholders: new Map<string, string>(), outside };
	for (const line of listed.output.toString("latin1").split("\0")) {
		const [tag = "", mode = "", object = ""] = line.split(" ", 3);
		const path = line.slice(line.indexOf("\t") + 1);
		if (line !== "" && !store.contains(path)) outside.push(path);
		else if (mode === modes.repository) contents.repositories.add(path);
		else if (tag === "S") contents.placeholders.set(path, object);
	}
	return contents;
}

/** Runs `git update-index` on a list; nothing for an empty one. */
export async function updateIndex(store: Pick<Store, "git">, args: readonly string[], input: Buffer): Promise<void> {
	if (input.length > 0) await store.git(["update-index", "-z", ...args], { input });
}

/** Removes paths from the index. */
export function removeFromIndex(store: Pick<Store, "git">, paths: readonly string[]): Promise<void> {
	return updateIndex(store, ["--index-info"], indexInfo(paths.map(removal)));
}

/** More unreadable files than this are a failure. */
const maxFaults = 20;

/** Adds files to the index and the store. A file that git blames for its failure is omitted and reported in `unkept`. */
export async function addPlain(
	store: Pick<Store, "tryGit">,
	names: readonly string[],
	unkept: Map<string, string>,
): Promise<void> {
	await addFiles(store, names, unkept, []);
}

/** The same for many files, most of which the user's repository has: only the contents of the others are stored. */
export async function addKnown(
	store: Pick<Store, "git" | "tryGit">,
	names: readonly string[],
	unkept: Map<string, string>,
): Promise<void> {
	await addFiles(store, names, unkept, ["--info-only"]);
	const listed = await store.git(["ls-files", "-z", "--stage"]);
	const wanted = new Set(names);
	const byObject = new Map<string, string[]>();
	for (const line of listed.output.toString("latin1").split("\0")) {
		const [, object = ""] = line.split(" ", 2);
		const path = line.slice(line.indexOf("\t") + 1);
		if (!wanted.has(path)) continue;
		const paths = byObject.get(object);
		if (paths) paths.push(path);
		else byObject.set(object, [path]);
	}
	const checked = await store.git(["cat-file", "--batch-check=%(objectname)"], {
		input: Buffer.from([...byObject.keys()].map((object) => `${object}\n`).join("")),
	});
	const lines = checked.output.toString("latin1").split("\n");
	const missing = lines.flatMap((line) => (line.endsWith(" missing") ? (byObject.get(line.slice(0, -8)) ?? []) : []));
	// An entry that matches its file is not read again.
	await removeFromIndex(store, missing);
	await addFiles(store, missing, unkept, []);
}

/** Git sees only the store's own objects: it sets the time of each pack that has a content which it is to write, and the user's are not ours to touch. */
async function addFiles(
	store: Pick<Store, "tryGit">,
	names: readonly string[],
	unkept: Map<string, string>,
	how: readonly string[],
): Promise<void> {
	let left = names;
	// Files that became unreadable between our scan and git's.
	for (let faults = 0; left.length > 0; faults += 1) {
		const added = await store.tryGit(["update-index", "-z", "--add", "--remove", "--replace", ...how, "--stdin"], {
			input: nulled(left),
			where: "own",
		});
		if (added.kind === "done") return;
		const blamed = faults < maxFaults ? blamedPath(added) : undefined;
		if (!blamed || !left.includes(blamed.path)) throw gitFailure(added);
		unkept.set(blamed.path, `cannot be read (${blamed.why})`);
		left = left.filter((name) => name !== blamed.path);
	}
}

/** The file that git blames for its failure. */
function blamedPath(result: GitResult): { readonly path: string; readonly why: string } | undefined {
	if (result.kind !== "failed" || isDiskFull(result.message)) return undefined;
	const path = /^fatal: Unable to process path ([\s\S]+)\n$/m.exec(result.raw)?.[1];
	const [first = ""] = result.message.split("\n");
	return path === undefined ? undefined : { path, why: first.replace(/^error: /, "") };
}

/** Writes an index as a tree; default: that of the store. Contents that only the user's repository has are not looked for. */
export async function writeTree(store: Pick<Store, "git">, index?: string): Promise<string> {
	const args = ["write-tree", "--missing-ok"];
	const written = await store.git(args, { where: "own", index });
	return written.output.toString("latin1").trim();
}

/** `tree` (`undefined`: an empty one) with `entries` set; an entry whose object is all zeros is removed. Uses a second index in `folder`. */
export async function editTree(
	store: Pick<Store, "git">,
	tree: string | undefined,
	entries: readonly TreeEntry[],
	folder: string,
): Promise<string> {
	if (tree !== undefined && entries.length === 0) return tree;
	const index = join(folder, "index.goal");
	// Deletions first: a file may be set where a folder was.
	const sorted = [...entries].sort((a, b) => Number(isNothing(b.object)) - Number(isNothing(a.object)));
	try {
		await store.git(["read-tree", tree ?? "--empty"], { index });
		await store.git(["update-index", "-z", "--add", "--replace", "--index-info"], {
			index,
			input: indexInfo(sorted),
		});
		return await writeTree(store, index);
	} finally {
		await rm(index, { force: true });
	}
}
