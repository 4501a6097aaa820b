// Where the folders of a run's children are: outside the project, because programs that look upward from a copy inside it would find the
// project's packages, settings and tests. Earlier versions kept them in the run's private folder; those are still found.
// A folder is used only if its owner file names the run: a pointer in the project's files alone never leads anywhere else.

import { readFileSync } from "node:fs";
import { chmod, readdir, realpath, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { attempt, inheritOwners, jsonObject, makePrivateFolder, replaceFile } from "../../disk/index.ts";

/** In the run's private folder: the folder of its children, where they are not outside the project. */
const insideFolder = "children";
/** In the run's private folder: the path of the folder of its children. */
const pointerFile = "children.path";
/** In the folder of a run's children: whose it is. */
const ownerFile = "owner.json";

/** The files in a folder of children that belong to none of them. */
export const ownFiles: readonly string[] = [ownerFile, ".gitignore"];

/** Whose children a folder has. */
export interface ChildrenOwner {
	readonly run: string;
	/** The run's private folder. */
	readonly folder: string;
}

/** The folders that the children of the run with the private folder `folder` can be in: outside the project (see `outsideFolder`), and in the private folder. */
export function childrenFolders(folder: string, places?: readonly string[]): readonly string[] {
	const outside = outsideFolder(folder, places);
	return [...(outside === undefined ? [] : [outside]), join(folder, insideFolder)];
}

/** The folder of the run's children outside the project; `undefined` if it has none. `places`: where it can be if its pointer is gone. */
export function outsideFolder(folder: string, places: readonly string[] = []): string | undefined {
	const named = attempt(() => readFileSync(join(folder, pointerFile), "utf8"))?.trim() ?? "";
	return [named, ...places].find((place) => place !== "" && readOwner(place)?.run === basename(folder));
}

/** The owner of a folder of children; `undefined` if it is not one. */
export function readOwner(children: string): ChildrenOwner | undefined {
	const { run, folder } = (jsonObject(join(children, ownerFile)) ?? {}) as Partial<ChildrenOwner>;
	return typeof run === "string" && typeof folder === "string" ? { run, folder } : undefined;
}

/** Creates the folder of the children of the run with the private folder `folder`, at `wanted` unless it has one; returns its real path. */
export async function makeChildrenFolder(folder: string, wanted: string): Promise<string> {
	const place = outsideFolder(folder) ?? wanted;
	await makePrivateFolder(place);
	const real = await realpath(place);
	// The home directory may be a repository, and the place may be in the project.
	await writeFile(join(real, ".gitignore"), "*\n", { mode: 0o600 });
	// Other children find their files through the owner and the pointer meanwhile: neither is written again.
	if (wanted === join(folder, insideFolder) || outsideFolder(folder) === real) return real;
	const owner: ChildrenOwner = { run: basename(folder), folder };
	await replaceFile(join(real, ownerFile), `${JSON.stringify(owner)}\n`);
	await replaceFile(join(folder, pointerFile), `${real}\n`);
	await inheritOwners(real);
	return real;
}

/** Finds the folder of the run's children again, if what deletes ignored files has deleted the pointer to it. `places`: where it can be. */
export async function findOutsideFolder(folder: string, places: readonly string[]): Promise<void> {
	if (outsideFolder(folder) !== undefined) return;
	const found = outsideFolder(folder, places);
	if (found !== undefined) await replaceFile(join(folder, pointerFile), `${await realpath(found)}\n`);
}

/** Removes a folder of children outside a project, as `outsideFolder` gives it, and that of the project if it has no other. Idempotent. */
export async function removeOutsideFolder(place: string): Promise<void> {
	await removeFolder(place);
	// Fails while there is the folder of another run.
	await rmdir(dirname(place)).catch(() => {});
}

/** Removes the folder of the run's children outside the project, if it has one. Idempotent. */
export async function forgetOutsideFolder(folder: string): Promise<void> {
	const outside = outsideFolder(folder);
	if (outside !== undefined) await removeOutsideFolder(outside);
	await rm(join(folder, pointerFile), { force: true });
}

/** The name of a child's folder: short, because some systems limit the length of paths. Throws for what would lead to another folder. */
export function childFolderName(child: string): string {
	if (!/^[\w-][\w.-]*$/.test(child)) throw new Error(`${JSON.stringify(child)} does not name the folder of a child.`);
	return isUuid.test(child) ? child.slice(0, 13) : child;
}

const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes `folder` if it exists, with what is in it, whatever its permissions. */
export async function removeFolder(folder: string): Promise<void> {
	const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	try {
		await remove();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code !== "EACCES" && code !== "EPERM") throw error;
		await makeWritable(folder);
		await remove();
	}
}

async function makeWritable(folder: string): Promise<void> {
	await chmod(folder, 0o700);
	for (const entry of await readdir(folder, { withFileTypes: true }))
		if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}
