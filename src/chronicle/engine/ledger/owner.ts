// Whose the files of runs are. Root (under sudo) makes files in folders of others: they get the owner of the folder that they are made in, so
// that the person can go on without sudo.
// W1 only root changes an owner, and only of what it has made: what belongs to anybody else stays; W2 links are never followed.
import { lstatSync } from "node:fs";
import { lchown, lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

interface Owner {
	readonly uid: number;
	readonly gid: number;
}

/** The owner that root gives to what it makes in `folder`; `undefined` where nothing is to be given away. */
function ownerFor(folder: string): Owner | undefined {
	if (process.geteuid?.() !== 0) return undefined;
	const { uid, gid } = lstatSync(folder);
	return uid === 0 ? undefined : { uid, gid };
}

/** Gives a file or folder that was just made to the owner of the folder around it. */
export async function inheritOwner(path: string): Promise<void> {
	const owner = ownerFor(dirname(path));
	if (owner) await lchown(path, owner.uid, owner.gid);
}

/** Makes a folder with those around it, private, and of the owner of the folder that was there. */
export async function makePrivateFolder(path: string): Promise<void> {
	const first = await mkdir(path, { recursive: true, mode: 0o700 });
	if (first === undefined || process.geteuid?.() !== 0) return;
	const made = [path];
	while (made[0] !== undefined && made[0] !== first && dirname(made[0]) !== made[0]) made.unshift(dirname(made[0]));
	for (const folder of made) await inheritOwner(folder);
}

/** Gives everything below `folder` that belongs to root to the folder's owner. What cannot be given stays. */
export async function inheritOwners(folder: string): Promise<void> {
	const owner = ownerFor(folder);
	if (owner) await giveAll(folder, owner);
}

async function giveAll(folder: string, owner: Owner): Promise<void> {
	for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
		const path = join(folder, entry.name);
		const found = await lstat(path).catch(() => undefined);
		if (found?.uid === 0) await lchown(path, owner.uid, owner.gid).catch(() => {});
		if (entry.isDirectory()) await giveAll(path, owner);
	}
}
