// Following a run that another process carries on, or that waits: it is read whenever its record grows on disk, a few times a second at most.
import { type FSWatcher, watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadLedger } from "../../core/index.ts";
import type { Project } from "./project.ts";

/** Milliseconds between two looks, at least. */
const restMs = 200;

/** Calls `listener` after every change of run `id`; the returned function ends that. Keeps no process alive. */
export function watchRun(
	{ store, sessions }: Pick<Project, "store" | "sessions">,
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
	let watcher: FSWatcher | undefined;
	try {
		watcher = watch(sessions, { persistent: false }, (_event, name) => {
			if (name === null || name === `${id}.json` || name === `${id}.events.jsonl`) void look();
		});
		watcher.on("error", () => watcher?.close());
	} catch {
		// Without a watch (their number is limited on some systems) the run shows as it was when it was last read.
	}
	return () => {
		ended = true;
		watcher?.close();
	};
}
