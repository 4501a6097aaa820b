// The few ways in which the ledger touches the disk, and how their errors become values.
// D1 a file that is replaced is whole at every moment; D2 what has been made durable survives a power cut: file, then folder.
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { StoreFailure } from "../supervisor/index.ts";

/** Opens files; tests put a disk in its place that is full. */
export interface Disk {
	open(path: string, flags: string | number, mode: number): Promise<FileHandle>;
}

export const realDisk: Disk = { open };

/**
 * Puts `text` in the place of `path`. The new file is written beside it, made durable and renamed: readers see the old one or the new one,
 * also after a power cut. Leaves nothing behind when it fails.
 */
export async function replaceFile(disk: Disk, path: string, text: string): Promise<void> {
	const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
	try {
		const file = await disk.open(draft, "w", 0o600);
		try {
			await file.writeFile(text);
			await file.sync();
		} finally {
			await file.close();
		}
		await rename(draft, path);
	} catch (error) {
		await rm(draft, { force: true }).catch(() => {});
		throw error;
	}
	await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. Windows has no such call, and does not need it. */
export async function syncFolder(folder: string): Promise<void> {
	if (process.platform === "win32") return;
	const handle = await open(folder, constants.O_RDONLY);
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/** What an error of the disk means to the person. */
export function diskFailure(error: unknown, path: string): StoreFailure {
	const { code, message } = error as NodeJS.ErrnoException;
	switch (code) {
		case "ENOSPC":
		case "EDQUOT":
		case "EFBIG":
			return {
				reason: "no_space",
				message: `There is no space left to write ${path}.`,
				remedy: "Free some space, then resume the run: nothing that was recorded is lost.",
			};
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return {
				reason: "io",
				message: `${path} cannot be written: ${code}.`,
				remedy: "Check who owns the folder and its rights.",
			};
		case "ENOENT":
			return {
				reason: "io",
				message: `${path} is gone.`,
				remedy: "If the project's folder was moved, open it at its new place.",
			};
		default:
			return {
				reason: "io",
				message: `${path} could not be read or written: ${code ?? message}.`,
				remedy: "Check the disk, then try again.",
			};
	}
}
