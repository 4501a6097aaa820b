// Measures free disk space, and the space that files take.
import { lstat, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Free bytes for this user on the disk of `folder`, or of its nearest existing parent. Throws disk errors. */
export async function freeBytes(folder: string): Promise<number> {
	for (let at = folder; ; at = dirname(at)) {
		try {
			const { bavail, bsize } = await statfs(at);
			return bavail * bsize;
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if ((code !== "ENOENT" && code !== "ENOTDIR") || at === dirname(at)) throw error;
		}
	}
}

/** Bytes of the files at and below `path`, links not followed; 0 if there is nothing, or it cannot be read. */
export async function usedBytes(path: string): Promise<number> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats?.isDirectory()) return stats?.size ?? 0;
	const names = await readdir(path).catch((): string[] => []);
	let sum = 0;
	for (const name of names) sum += await usedBytes(join(path, name));
	return sum;
}
