// Removes a run with all its data: events, folded state, damaged copies, sessions, file snapshots, reports.
// M1 only under the lease: never a run whose holder is, or may be, alive; M2 an interrupted removal is finished by repeating it; M3 nothing outside
// of the folder of all runs is touched.
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { usedBytes } from "../../../disk/index.ts";
import type { Result, StoreFailure } from "../../core/index.ts";
import { storeFailure } from "./failures.ts";
import { pathsOf } from "./layout.ts";
import { takeLease } from "./lease.ts";
import type { RunsPlace } from "./list-runs.ts";
import { readablePaths, removeCopy } from "./log-copy.ts";

/** Removes run `id` and the copy of its events; returns the bytes that it used. */
export async function removeRun(
	{ sessions, copies }: RunsPlace,
	id: string,
): Promise<Result<{ readonly bytes: number }, StoreFailure>> {
	const paths = pathsOf(sessions, id);
	const { folder, log, checkpoint } = paths;
	const moved = join(sessions, `.removed-${id}`);
	const names = await namesOf(sessions, id);
	if (names.length === 0 && (await readablePaths(paths, copies)) === paths)
		return storeFailure("unknown", `No run has the id "${id}".`, "See the list of runs.");
	const lease = await takeLease(folder, 0);
	if (!lease.ok) return lease;
	const places = (await namesOf(sessions, id)).map((name) => join(sessions, name));
	const own = (await Promise.all(places.map(usedBytes))).reduce((sum, size) => sum + size, 0);
	// The copy would bring the run back.
	const bytes = own + (copies ? await removeCopy(copies, paths) : 0);
	// The events first and the folded state last: until then the list shows the run, so that its removal can be repeated.
	await rm(log, { force: true });
	for (const place of places)
		if (place !== checkpoint && place !== folder) await rm(place, { recursive: true, force: true });
	await rename(folder, moved);
	await rm(moved, { recursive: true, force: true });
	await rm(checkpoint, { force: true });
	return { ok: true, value: { bytes } };
}

/** Names of the run's files and folders. */
async function namesOf(sessions: string, id: string): Promise<string[]> {
	const names = await readdir(sessions).catch((): string[] => []);
	return names.filter((name) => name === id || name.startsWith(`${id}.`) || name === `.removed-${id}`);
}
