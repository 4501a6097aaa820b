// Folders of runs whose process was killed before it wrote the first event. No list shows them, so nobody would ever remove them.
import { readdir, stat } from "node:fs/promises";
import { isRunId, pathsOf } from "./layout.ts";
import { leaseHolder } from "./lease.ts";

/** Milliseconds after which a folder without a lease is none that a process is about to take. */
const unleasedMs = 60 * 60 * 1000;

/** Ids of the runs below `sessions` that never began and whose process is dead. */
export async function unstartedRuns(sessions: string): Promise<readonly string[]> {
	const names = new Set(await readdir(sessions).catch((): string[] => []));
	const found: string[] = [];
	for (const id of names) {
		if (!isRunId(id) || names.has(`${id}.events.jsonl`) || names.has(`${id}.json`)) continue;
		const { folder } = pathsOf(sessions, id);
		const holder = await leaseHolder(folder);
		if (holder ? holder.alive === "no" : await isOld(folder)) found.push(id);
	}
	return found;
}

/** Its process may have been killed before it took the lease. */
async function isOld(folder: string): Promise<boolean> {
	const { mtimeMs } = await stat(folder);
	return Date.now() - mtimeMs > unleasedMs;
}
