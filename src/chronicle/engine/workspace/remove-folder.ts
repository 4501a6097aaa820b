// Removes a folder with its contents, including read-only folders. Links are removed, never followed.
import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes `folder`, if it exists. */
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
