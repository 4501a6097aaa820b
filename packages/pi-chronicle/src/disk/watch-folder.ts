// Watches a folder for changes. Where the system has no watch left (inotify's limits, a network file system), it is polled, and only there.
// Neither a watch nor a timer keeps the process alive; after closing, nothing is called.
import { type FSWatcher, watch } from "node:fs";

/** Milliseconds between two polls. */
const pollMs = 2_000;

/**
 * Calls `changed` with the name of a file that changed in `folder`, or with `null` if it is unknown whether and what, until the returned function
 * is called.
 */
export function watchFolder(folder: string, changed: (name: string | null) => void): () => void {
	let watcher: FSWatcher | undefined;
	let timer: NodeJS.Timeout | undefined;
	let closed = false;
	const poll = (): void => {
		watcher?.close();
		if (closed || timer) return;
		timer = setInterval(() => changed(null), pollMs);
		timer.unref();
	};
	try {
		watcher = watch(folder, { persistent: false }, (_event, name) => changed(name));
		watcher.on("error", poll);
	} catch {
		poll();
	}
	return () => {
		closed = true;
		watcher?.close();
		clearInterval(timer);
	};
}
