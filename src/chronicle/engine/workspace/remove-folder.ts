// Removes a folder with whatever is in it, read-only folders too. Links are removed, never followed.
import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes `folder`; nothing where there is none. */
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
