// The files that this process has open through `node:fs/promises`, and what opened them. Node closes a leaked file when garbage is
// collected, with a warning during some later test, and announces that it will throw instead.
import type { EventEmitter } from "node:events";
import files, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** Test files share a process, and each loads this module anew. */
const shared = globalThis as { chronicleOpenFiles?: Map<FileHandle, Error> };
shared.chronicleOpenFiles ??= watchOpen();
const opened = shared.chronicleOpenFiles;

function watchOpen(): Map<FileHandle, Error> {
	const watched = new Map<FileHandle, Error>();
	const { open } = files;
	files.open = async (path, ...rest) => {
		const trace = new Error(`${path} is still open. It was opened`);
		const file = await open(path, ...rest);
		watched.set(file, trace);
		// Documented, but not in its type.
		(file as FileHandle & EventEmitter).once("close", () => watched.delete(file));
		return file;
	};
	syncBuiltinESMExports();
	return watched;
}

/** Waits at most `ms` until no file is open. Throws an error that names one and shows what opened it; each is reported once. */
export async function expectFilesClosed(ms: number): Promise<void> {
	for (const end = Date.now() + ms; opened.size > 0 && Date.now() < end; )
		await new Promise((resolve) => setTimeout(resolve, 10));
	const [first] = opened.values();
	opened.clear();
	if (first) throw first;
}
