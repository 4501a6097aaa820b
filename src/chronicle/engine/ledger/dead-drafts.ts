// Removes drafts of a run's files that were left by killed processes.
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { processStart } from "../../../process/index.ts";

/** Removes dead drafts. Only for the holder of the lease. `folder`: the private folder of the run. */
export async function removeDeadDrafts(folder: string): Promise<void> {
	await removeIn(folder, ".lease.");
	await removeIn(dirname(folder), `.${basename(folder)}.`);
}

/** A draft is named after its file and the process that writes it. */
async function removeIn(folder: string, prefix: string): Promise<void> {
	const names = await readdir(folder).catch((): string[] => []);
	for (const name of names.filter((one) => one.startsWith(prefix))) {
		const [, pid] = /\.(\d+)(?:\.tmp)?$/.exec(name) ?? [];
		if (pid !== undefined && processStart(Number(pid)) === undefined)
			await rm(join(folder, name), { force: true }).catch(() => {});
	}
}
