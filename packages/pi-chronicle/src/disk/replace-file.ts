// Replaces a file atomically and durably: the new content is written to a draft next to it, synced, and renamed; then the folder is synced.
// A reader sees the old file or the new one, also after a power cut; a failure leaves the old file and no draft.
import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { inheritOwner, inheritOwnerSync } from "./ownership.ts";

/** Opens files; tests pass one that simulates a full disk. */
export interface Disk {
	open(path: string, flags: string | number, mode: number): Promise<FileHandle>;
}

export const realDisk: Disk = { open };

const privateMode = 0o600;

/** Replaces `path`, private to its owner, by `content`, or by what `content` writes to the draft. Throws disk errors. */
export async function replaceFile(
	path: string,
	content: string | ((draft: FileHandle) => Promise<void>),
	disk: Disk = realDisk,
): Promise<void> {
	const draft = draftOf(path);
	try {
		const file = await disk.open(draft, "w", privateMode);
		try {
			await (typeof content === "string" ? file.writeFile(content) : content(file));
			await file.sync();
		} finally {
			await file.close();
		}
		await inheritOwner(draft);
		await rename(draft, path);
	} catch (error) {
		await rm(draft, { force: true }).catch(() => {});
		throw error;
	}
	await syncFolder(dirname(path));
}

/** Like `replaceFile`, for small files that are read, changed and written in one go. */
export function replaceFileSync(path: string, text: string | Uint8Array): void {
	const draft = draftOf(path);
	try {
		writeFileSync(draft, text, { mode: privateMode, flush: true });
		inheritOwnerSync(draft);
		renameSync(draft, path);
	} catch (error) {
		rmSync(draft, { force: true });
		throw error;
	}
	if (process.platform === "win32") return;
	const folder = openSync(dirname(path), constants.O_RDONLY);
	try {
		fsyncSync(folder);
	} finally {
		closeSync(folder);
	}
}

function draftOf(path: string): string {
	return join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
}

/** Makes the names in a folder durable. Windows has no such call and needs none. */
export async function syncFolder(folder: string): Promise<void> {
	if (process.platform === "win32") return;
	const handle = await open(folder, constants.O_RDONLY);
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/** For `catch`: `undefined` if a file or folder does not exist; rethrows any other error. */
export function undefinedIfMissing(error: unknown): undefined {
	const { code } = error as NodeJS.ErrnoException;
	if (code === "ENOENT" || code === "ENOTDIR") return undefined;
	throw error;
}
