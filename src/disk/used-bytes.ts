// The size of a file or of everything in a folder.
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Bytes of the files at and below `path`, links not followed; 0 if there is nothing, or it cannot be read. */
export async function usedBytes(path: string): Promise<number> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats?.isDirectory()) return stats?.size ?? 0;
	const names = await readdir(path).catch((): string[] => []);
	let sum = 0;
	for (const name of names) sum += await usedBytes(join(path, name));
	return sum;
}
