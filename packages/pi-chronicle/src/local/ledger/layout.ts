// The files of a run on disk, and their permissions.
// New folders are 0700, new files 0600; the folder excludes itself from git; existing files and folders keep their permissions.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inheritOwner, makePrivateFolder } from "../../disk/index.ts";

export interface RunPaths {
	/** The folded state. */
	readonly checkpoint: string;
	/** The events. */
	readonly log: string;
	/** Everything else of the run: leases, inbox, workers' sessions, file snapshots, reports. */
	readonly folder: string;
	readonly inbox: string;
}

/** The end of the name of a run's log, after its id. */
export const LOG_ENDING = ".events.jsonl";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether `name` can be the id of a run: a UUID of version 4. Only such names become paths. */
export function isRunId(name: string): boolean {
	return uuid.test(name);
}

/** The paths of run `id` below `sessions`, the folder of all runs. */
export function pathsOf(sessions: string, id: string): RunPaths {
	const folder = join(sessions, id);
	return {
		checkpoint: join(sessions, `${id}.json`),
		log: join(sessions, `${id}${LOG_ENDING}`),
		folder,
		inbox: join(folder, "inbox"),
	};
}

/** Creates the folder of all runs, with a `.gitignore` that ignores everything in it. */
export async function prepareSessions(sessions: string): Promise<void> {
	await makePrivateFolder(sessions);
	try {
		const ignore = join(sessions, ".gitignore");
		await writeFile(ignore, "# Runs are private: they contain tasks, file contents and conversations.\n*\n", {
			flag: "wx",
			mode: 0o600,
		});
		await inheritOwner(ignore);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
}
