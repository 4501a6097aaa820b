// Fills the folder of a child with the files of a snapshot.
// Large files that are unchanged in the user's folder are copied, by copy-on-write where the disk supports it; all others come from the
// store; files that no snapshot keeps are copied in their current state; the first snapshot of the folder describes exactly its
// contents.

import { constants, type Stats } from "node:fs";
import { copyFile, lstat, mkdir, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readBlobs, writeBlob } from "./blobs.ts";
import type { ChildRepository } from "./child-repository.ts";
import { remadeTarget } from "./clone-folder.ts";
import { rawChanges } from "./compare.ts";
import { noSpace, roomIn, stopped, toResult, unknownTree, writeFailure } from "./failures.ts";
import { modes, nulled, removal, type TreeEntry } from "./git.ts";
import type { SizedEntry } from "./merge.ts";
import { fromRaw, pathBytes } from "./paths.ts";
import { editTree } from "./private-index.ts";
import type { Store } from "./store.ts";

interface PlaceFilling {
	readonly git: ChildRepository;
	/** The folder to fill, and where it will be. */
	readonly files: string;
	readonly goal: string;
	readonly tree: string;
	/** The entries of `tree`. */
	readonly listed: readonly SizedEntry[];
	readonly storeFolder: string;
}

/** Minimum bytes of a file that is copied instead of unpacked. */
const copiedBytes = 64_000;
/** Minimum bytes to copy that justify checking the user's files. */
const worthBytes = 8_000_000;
/** Maximum concurrent copies. */
const together = 16;

/** Fills `files`; returns their snapshot, and notes on files that were not copied. */
export async function fillFolder(
	store: Store,
	filling: PlaceFilling,
): Promise<{ readonly tree: string; readonly notes: string[] }> {
	const { git, files, goal, tree, listed, storeFolder } = filling;
	await store.reloadPlaceholders();
	const isPlaceholder = ({ object }: TreeEntry): boolean => store.placeholderOf(object) !== undefined;
	const isLeftOut = ({ mode, path }: TreeEntry): boolean =>
		mode === modes.repository || store.exclusionOf(path) !== undefined;
	const kept = listed.filter((entry) => !isLeftOut(entry));
	if (kept.some(({ size }) => Number.isNaN(size))) throw unknownTree();
	const placeholders = kept.filter(isPlaceholder);
	const plain = kept.filter((entry) => !isPlaceholder(entry));
	const unkept = await copyUnstored(store, placeholders, files);
	const links = await remadeLinks(store, plain, goal);
	const edits = [...unkept.edits, ...listed.filter(isLeftOut).map(({ path }) => removal(path)), ...links];
	const start = await editTree(store, tree, edits, storeFolder);
	const copied = await copyLarge(store, plain, tree, files);
	const rest = plain.filter(({ path }) => !copied.has(path));
	if (rest.reduce((sum, { size }) => sum + size, 0) > (await roomIn(files))) throw noSpace();
	await writeRest(git, start, { rest, files, skipped: unkept.copied, refreshes: copied.size > 0 });
	await store.modes.apply(
		files,
		[...rest, ...placeholders].map(({ path }) => path),
	);
	return { tree: start, notes: unkept.notes };
}

/** Links into the project that lead into the folder instead, and links out of it that lead to where they led. */
async function remadeLinks(store: Store, plain: readonly SizedEntry[], goal: string): Promise<TreeEntry[]> {
	const links = plain.filter(({ mode }) => mode === modes.link);
	const targets = await readBlobs(store, [...new Set(links.map(({ object }) => object))]);
	const made: TreeEntry[] = [];
	for (const { path, mode, object } of links) {
		const target = targets.get(object)?.toString("utf8") ?? "";
		const remade = remadeTarget(target, dirname(join(store.root, fromRaw(path))), { root: store.root, files: goal });
		if (remade !== undefined) made.push({ path, mode, object: await writeBlob(store, Buffer.from(remade)) });
	}
	return made;
}

/** Copies the current state of files whose contents no snapshot has. */
async function copyUnstored(store: Store, placeholders: readonly TreeEntry[], files: string) {
	const edits: TreeEntry[] = [];
	const notes: string[] = [];
	const copied: string[] = [];
	for (const { path, mode, object } of placeholders) {
		const kind = store.placeholderOf(object) ?? "large";
		const isCopied = await copyCurrent(store.root, files, path, { keepsTime: true });
		const stats = isCopied ? await lstat(pathBytes(files, path)) : undefined;
		const now = stats && (await store.makePlaceholder(kind, stats.size, stats.mtimeMs));
		if (now === undefined) {
			notes.push(`${fromRaw(path)} is not part of snapshots and could not be copied.`);
			edits.push(removal(path));
			continue;
		}
		copied.push(path);
		if (now !== object) edits.push({ path, mode, object: now });
	}
	return { edits, notes, copied };
}

/** Copies a file of the user that `fits`, with its time if `keepsTime`. Returns whether it succeeded. */
async function copyCurrent(
	root: string,
	files: string,
	path: string,
	{ keepsTime, fits = () => true }: { readonly keepsTime: boolean; readonly fits?: (stats: Stats) => boolean },
): Promise<boolean> {
	const [from, to] = [pathBytes(root, path), pathBytes(files, path)];
	const stats = await lstat(from).catch(() => undefined);
	if (!stats?.isFile() || !fits(stats)) return false;
	try {
		await mkdir(parentOf(to), { recursive: true });
		await copyFile(from, to, constants.COPYFILE_FICLONE);
		if (keepsTime) await utimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOSPC") throw error;
		await rm(to, { force: true });
		return false;
	}
}

function parentOf(path: Buffer): Buffer {
	return Buffer.from(dirname(path.toString("latin1")), "latin1");
}

/** Copies the large files whose contents in the user's folder equal those in `tree`; returns their paths. */
async function copyLarge(
	store: Store,
	plain: readonly SizedEntry[],
	tree: string,
	files: string,
): Promise<ReadonlySet<string>> {
	const large = plain.filter(({ mode, size }) => mode !== modes.link && size >= copiedBytes);
	if (large.reduce((sum, { size }) => sum + size, 0) < worthBytes) return new Set();
	const taken = await toResult(store.snapshot);
	if (!taken.ok && taken.failure.reason === "stopped") throw stopped();
	// Without the user's files, everything comes from the store.
	if (!taken.ok) return new Set();
	const now = taken.value;
	const differ = new Set((await rawChanges(store, now.tree, tree, "apart")).map(({ path }) => path));
	const candidates = large.filter(({ path }) => !differ.has(path) && !now.unkept.has(path));
	const copied = new Set<string>();
	for (let at = 0; at < candidates.length; at += together) {
		if (store.control.signal?.aborted) throw stopped();
		await Promise.all(
			candidates.slice(at, at + together).map(async ({ path, mode, size }) => {
				const fits = (stats: Stats): boolean =>
					stats.size === size && ((stats.mode & 0o100) !== 0) === (mode === modes.program);
				// A failed one comes from the store.
				if (await copyCurrent(store.root, files, path, { keepsTime: false, fits })) copied.add(path);
			}),
		);
	}
	const changed = await store.git(["ls-files", "-z", "--modified", ...store.below()]);
	for (const path of changed.output.toString("latin1").split("\0"))
		if (copied.delete(path)) await rm(pathBytes(files, path), { force: true });
	return copied;
}

/** Writes the other files from the store, and the index for all. */
async function writeRest(
	{ git }: ChildRepository,
	tree: string,
	{
		rest,
		files,
		skipped,
		refreshes,
	}: {
		readonly rest: readonly SizedEntry[];
		readonly files: string;
		readonly skipped: readonly string[];
		/** Whether other files are there already. */
		readonly refreshes: boolean;
	},
): Promise<void> {
	const largest = rest.reduce((most, { size }) => Math.max(most, size), 0);
	const isAll = skipped.length === 0 && !refreshes;
	const parallel = ["-c", "checkout.workers=0"];
	const some: (readonly [readonly string[], Buffer?])[] = [
		[["read-tree", tree]],
		[["update-index", "-z", "--skip-worktree", "--stdin"], nulled(skipped)],
		[[...parallel, "checkout-index", "-q", "-u", "-z", "--stdin"], nulled(rest.map(({ path }) => path))],
		...(refreshes ? [[["update-index", "-q", "--really-refresh"]] as const] : []),
	];
	const steps = isAll ? [[[...parallel, "read-tree", "-m", "-u", tree]] as const] : some;
	for (const [args, input] of steps) {
		if (input?.length === 0) continue;
		const ran = await git(args, input);
		if (ran.kind !== "done") throw await writeFailure(ran, files, largest);
	}
}
