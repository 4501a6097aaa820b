// The few ways in which the ledger touches the disk, and how their errors become values.
// D1 a file that is replaced is whole at every moment; D2 what has been made durable survives a power cut: file, then folder.
import { constants, type Stats, statSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { StoreFailure } from "../../core/index.ts";
import { inheritOwner } from "./owner.ts";

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
		await inheritOwner(draft);
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

/** `undefined` where a file or folder is not there. Any other error says nothing about that, and is thrown on. */
export function undefinedIfMissing(error: unknown): undefined {
	const { code } = error as NodeJS.ErrnoException;
	if (code === "ENOENT" || code === "ENOTDIR") return undefined;
	throw error;
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
			return { reason: "io", ...explainRights((error as NodeJS.ErrnoException).path ?? path, code) };
		case "EROFS":
			return {
				reason: "io",
				message: `${path} cannot be written: its file system is read-only.`,
				remedy: "Mount it for writing, or copy the project elsewhere.",
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

/** Whose a path is that this account may not use, and what to do. */
function explainRights(path: string, code: string): Pick<StoreFailure, "message" | "remedy"> {
	const own = process.geteuid?.();
	for (let at = path; ; at = dirname(at)) {
		const found = lookAt(at);
		if (found && own !== undefined && found.uid !== own) {
			const whose = found.uid === 0 ? "root" : `another user (uid ${found.uid})`;
			return {
				message: `${path} cannot be used: ${at === path ? "it" : at} belongs to ${whose}, and this is uid ${own} (${code}).`,
				remedy: `Give it back: sudo chown -R ${own} ${JSON.stringify(found.isDirectory() ? at : dirname(at))}`,
			};
		}
		if (found || dirname(at) === at) break;
	}
	return {
		message: `${path} cannot be used: its rights do not allow it (${code}).`,
		remedy: `Give yourself the right: chmod -R u+rwX ${JSON.stringify(dirname(path))}`,
	};
}

function lookAt(path: string): Stats | undefined {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}
