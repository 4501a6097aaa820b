// Watches a run that another process supervises, or that waits: reads it when its ledger grows, at most a few times per second.
import { setTimeout as sleep } from "node:timers/promises";
import { watchFolder } from "../../../disk/index.ts";
import type { ReadLedger } from "../../core/index.ts";
import type { Project } from "./project.ts";

/** Minimum milliseconds between two reads. */
const restMs = 200;

/** Calls `listener` after every change of run `id`, until the returned function is called. Keeps no process alive. */
export function watchRun(
	{ store, sessions, engine }: Pick<Project, "store" | "sessions" | "engine">,
	id: string,
	listener: (read: ReadLedger) => void,
): () => void {
	let reading = false;
	let again = false;
	let ended = false;
	const look = async (): Promise<void> => {
		if (reading) {
			again = true;
			return;
		}
		reading = true;
		do {
			again = false;
			const read = await store.read(id).catch(() => undefined);
			if (read?.ok && !ended) listener(read.value);
			await sleep(restMs, undefined, { ref: false });
		} while (again && !ended);
		reading = false;
	};
	const stop = engine ? engine.watch(id, () => void look()) : watchFiles(sessions, id, () => void look());
	return () => {
		ended = true;
		stop();
	};
}

/** Calls `changed` when a file of run `id` changes. */
function watchFiles(sessions: string, id: string, changed: () => void): () => void {
	return watchFolder(sessions, (name) => {
		if (name === null || name === `${id}.json` || name === `${id}.events.jsonl`) changed();
	});
}
