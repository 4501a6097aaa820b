// How much room a disk has.
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** Free bytes for this user on the disk of `folder`, or of its nearest parent that exists. Throws what the disk throws. */
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
