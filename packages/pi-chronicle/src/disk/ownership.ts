// Gives files that root creates (under sudo) in another user's folder to the folder's owner, who can then continue without sudo.
// Only root changes owners, and only of files that it created; links are never followed.
import { lchownSync, lstatSync } from "node:fs";
import { lchown, lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

interface Owner {
	readonly uid: number;
	readonly gid: number;
}

/** The owner of files that root creates in `folder`; `undefined` if this process is not root, or the folder is root's. */
function ownerFor(folder: string): Owner | undefined {
	if (process.geteuid?.() !== 0) return undefined;
	const { uid, gid } = lstatSync(folder);
	return uid === 0 ? undefined : { uid, gid };
}

/** Gives a newly created file or folder to the owner of its parent folder. */
export async function inheritOwner(path: string): Promise<void> {
	const owner = ownerFor(dirname(path));
	if (owner) await lchown(path, owner.uid, owner.gid);
}

/** See `inheritOwner`. */
export function inheritOwnerSync(path: string): void {
	const owner = ownerFor(dirname(path));
	if (owner) lchownSync(path, owner.uid, owner.gid);
}

/** Creates a folder and its missing parents, private (0700), with the owner of the nearest existing parent. */
export async function makePrivateFolder(path: string): Promise<void> {
	const first = await mkdir(path, { recursive: true, mode: 0o700 });
	if (first === undefined || process.geteuid?.() !== 0) return;
	const made = [path];
	while (made[0] !== undefined && made[0] !== first && dirname(made[0]) !== made[0]) made.unshift(dirname(made[0]));
	for (const folder of made) await inheritOwner(folder);
}

/** Gives everything below `folder` that belongs to root to the folder's owner, as far as possible. */
export async function inheritOwners(folder: string): Promise<void> {
	const owner = ownerFor(folder);
	if (owner) await chownBelow(folder, owner);
}

async function chownBelow(folder: string, owner: Owner): Promise<void> {
	for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
		const path = join(folder, entry.name);
		const found = await lstat(path).catch(() => undefined);
		if (found?.uid === 0) await lchown(path, owner.uid, owner.gid).catch(() => {});
		if (entry.isDirectory()) await chownBelow(path, owner);
	}
}
