// Measures free disk space.
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";

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
