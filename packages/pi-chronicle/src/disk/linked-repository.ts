// The repository of a linked working tree or a submodule: its `.git` is a file that names it.
import { join, resolve } from "node:path";
import { readSmallFile } from "./look-up.ts";

/** The repository that `root` is linked to, and the folder that it shares with others; `undefined` if its `.git` is no such file. */
export function linkedRepository(root: string): { readonly gitFolder: string; readonly common: string } | undefined {
	const target = /^gitdir: (.+)$/m.exec(readSmallFile(join(root, ".git")) ?? "")?.[1]?.trim();
	if (target === undefined) return undefined;
	const gitFolder = resolve(root, target);
	return { gitFolder, common: commonFolder(gitFolder) };
}

/** The folder that has the objects and settings of a repository: its own, unless it is that of a linked working tree. */
export function commonFolder(gitFolder: string): string {
	return resolve(gitFolder, readSmallFile(join(gitFolder, "commondir"))?.trim() ?? "");
}
