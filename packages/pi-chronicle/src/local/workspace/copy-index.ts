// Copies of an index. Git compares the times of files by the second, and reads those again that are as young as the index itself: a copy
// with a later time would hide a change in the second in which the file was written.
import { copyFile, stat, utimes } from "node:fs/promises";

/** Copies the index `from` with its time. */
export async function copyIndex(from: string, to: string): Promise<void> {
	const { atime, mtime } = await stat(from);
	await copyFile(from, to);
	await utimes(to, atime, mtime);
}
