// Lists the files below a folder of definitions.
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { folderEntries } from "./look-up.ts";

export interface WalkedFile {
	/** Relative to the folder, with `/`. */
	readonly path: string;
	readonly entry: Dirent;
}

/**
 * The entries below `folder` that are not folders, down to `depth` folders: the files of a folder before those of its subfolders, each sorted by name.
 * Hidden folders, `node_modules` and paths that `enters` refuses are left out. A folder that is missing or unreadable is empty.
 */
export function* walkFiles(
	folder: string,
	depth: number,
	enters: (path: string) => boolean = () => true,
): Generator<WalkedFile> {
	let level = [""];
	for (let below = 0; below <= depth && level.length > 0; below++) {
		const entries = level.flatMap((parent) => entriesIn(folder, parent)).filter(({ path }) => enters(path));
		yield* entries.filter(({ entry }) => !entry.isDirectory());
		level = entries
			.filter(({ entry }) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
			.map(({ path }) => path);
	}
}

function entriesIn(folder: string, parent: string): WalkedFile[] {
	return folderEntries(join(folder, parent))
		.map((entry) => ({ path: parent === "" ? entry.name : `${parent}/${entry.name}`, entry }))
		.sort((a, b) => (a.path < b.path ? -1 : 1));
}
