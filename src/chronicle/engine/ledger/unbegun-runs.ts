// Folders of runs whose process was killed before it wrote the first event. No list shows them, so nobody would ever remove them.
import { readdir } from "node:fs/promises";
import { isRunId, pathsOf } from "./layout.ts";
import { leaseHolder } from "./lease.ts";

/** Ids of the runs below `sessions` that never began and whose process is dead. */
export async function unbegunRuns(sessions: string): Promise<readonly string[]> {
	const names = new Set(await readdir(sessions).catch((): string[] => []));
	const found: string[] = [];
	for (const id of names) {
		if (!isRunId(id) || names.has(`${id}.events.jsonl`) || names.has(`${id}.json`)) continue;
		const holder = await leaseHolder(pathsOf(sessions, id).folder);
		if (holder?.alive === "no") found.push(id);
	}
	return found;
}
