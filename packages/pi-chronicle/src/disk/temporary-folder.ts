// Folders for files that nobody needs afterward.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The result of `use` with a new folder, by its real path, which is removed afterward. */
export async function inTemporaryFolder<Made>(use: (folder: string) => Promise<Made>): Promise<Made> {
	const folder = await realpath(await mkdtemp(join(tmpdir(), "pi-chronicle-")));
	try {
		return await use(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
