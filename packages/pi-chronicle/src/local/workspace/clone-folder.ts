// Copies a folder of the project into the folder of a child: by copy-on-write where the file system supports it.
// Nothing that the child does in the copy changes the original; a symbolic link that leads into the project leads into the copy afterward.

import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { deepestRealPath } from "../../disk/index.ts";
import { isWithin } from "../../safety/index.ts";
import { noSpace, roomIn, stopped } from "./failures.ts";
import { toRaw } from "./paths.ts";
import type { Store } from "./store.ts";

export interface FolderCopy {
	readonly from: string;
	readonly to: string;
	/** Path of the original or of the copy below the root, with `/`: it decides what is never part of the files. */
	readonly path: string;
	/** The project's root, and that of the copy. */
	readonly root: string;
	readonly files: string;
}

type CopiedEntry = Pick<FolderCopy, "from" | "to" | "path">;

/** Files that are copied at one time. */
const together = 32;

/** Copies the folder or file `from` to `to`, without what is never part of the files, and without what is no file, folder or link. */
export async function cloneFolder(store: Pick<Store, "control" | "exclusionOf">, copy: FolderCopy): Promise<void> {
	const { control } = store;
	const open: CopiedEntry[] = [copy];
	const files: (() => Promise<void>)[] = [];
	// Grows while it is read.
	for (const { from, to, path } of open) {
		if (control.signal?.aborted) throw stopped();
		const stats = await lstat(from);
		if (stats.isDirectory()) {
			await mkdir(to, { recursive: true, mode: (stats.mode & 0o777) | 0o700 });
			open.push(...(await entriesToCopy(store, { from, to, path })));
		} else if (stats.isSymbolicLink()) {
			const target = await readlink(from);
			await symlink(remadeTarget(target, dirname(from), copy) ?? target, to);
		} else if (stats.isFile())
			files.push(async () => {
				await copyFile(from, to, constants.COPYFILE_FICLONE);
				await utimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000);
			});
		if (files.length >= together) await Promise.all(files.splice(0).map((work) => work()));
	}
	await Promise.all(files.map((work) => work()));
}

async function entriesToCopy(
	{ exclusionOf }: Pick<Store, "exclusionOf">,
	{ from, to, path }: CopiedEntry,
): Promise<CopiedEntry[]> {
	const names = await readdir(from);
	return names
		.map((name) => ({ from: join(from, name), to: join(to, name), path: `${path}/${name}` }))
		.filter((entry) => exclusionOf(toRaw(entry.path)) === undefined);
}

/**
 * The target of a link in the copy whose original is in the folder `at`: one into the project leads into the copy, one out of it to where it led.
 * `undefined`: it stays as it is.
 */
export function remadeTarget(
	target: string,
	at: string,
	{ root, files }: Pick<FolderCopy, "root" | "files">,
): string | undefined {
	const goal = resolve(at, target);
	const isAbsolute = resolve(target) === target;
	const real = isWithin(goal, root) ? goal : deepestRealPath(goal);
	const isInside = isWithin(real, root);
	if (isInside) return isAbsolute ? join(files, relative(root, real)) : undefined;
	return isAbsolute ? undefined : goal;
}

/** The bytes of the files at and below `path`, up to `enough`. */
export async function measureFolder(path: string, enough: number): Promise<number> {
	const open = [path];
	let bytes = 0;
	// Grows while it is read.
	for (const place of open) {
		if (bytes > enough) break;
		const stats = await lstat(place).catch(() => undefined);
		if (stats?.isDirectory()) open.push(...(await readdir(place)).map((name) => join(place, name)));
		else bytes += stats?.size ?? 0;
	}
	return bytes;
}

/** Fails if a copy of `bytes` has no room on the disk of `folder`. */
export async function requireRoom(folder: string, bytes: number): Promise<void> {
	if (bytes > (await roomIn(folder))) throw noSpace();
}
