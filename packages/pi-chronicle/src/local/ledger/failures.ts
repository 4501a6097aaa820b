// The store's failures: translates disk errors for the user.
import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { StoreFailure } from "@pi-chronicle/core/ports";

/** Precedes a command of this package that a failure names, where no options that choose project and engine have to be repeated. */
export const OWN_COMMAND = "pi-chronicle ";

export function storeFailure(
	reason: StoreFailure["reason"],
	message: string,
	remedy: string,
): { readonly ok: false; readonly failure: StoreFailure } {
	return { ok: false, failure: { reason, message, remedy } };
}

/** The failure for a disk error while `path` was read or written. */
export function diskFailure(error: unknown, path: string): StoreFailure {
	const { code, message, path: blamed = path } = error as NodeJS.ErrnoException;
	switch (code) {
		case "ENOSPC":
		case "EDQUOT":
		case "EFBIG":
			return {
				reason: "no_space",
				message: `There is no space left to write ${path}.`,
				remedy: "Free some space, then resume the run: no recorded data is lost.",
			};
		case "EACCES":
		case "EPERM":
			return { reason: "io", ...explainPermissions(blamed) };
		case "EROFS":
			return {
				reason: "io",
				message: `${path} cannot be written: its file system is read-only.`,
				remedy: "Mount it writable, or copy the project elsewhere.",
			};
		case "ENOENT": {
			// Creating a folder on a read-only file system fails with this code, too.
			const refused = refusedAt(nearestExisting(path).at);
			return refused ? diskFailure(refused, path) : missingRun(path);
		}
		default:
			return {
				reason: "io",
				message: `${path} could not be read or written: ${code ?? message}.`,
				remedy: "Check the disk, then try again.",
			};
	}
}

function missingRun(path: string): StoreFailure {
	return {
		reason: "io",
		message: `${path} no longer exists.`,
		remedy: "If the project's folder was moved, open it in its new location.",
	};
}

/** The error of a write to a folder; `undefined` if it is possible. */
function refusedAt(folder: string): unknown {
	try {
		accessSync(folder, constants.W_OK);
		return undefined;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : error;
	}
}

/** The owner of a path that this account may not use, and the remedy. */
function explainPermissions(path: string): Pick<StoreFailure, "message" | "remedy"> {
	const { at, stats } = nearestExisting(path);
	const own = process.geteuid?.();
	if (!stats || own === undefined || stats.uid === own)
		return {
			message: `${path} cannot be used: its permissions do not allow it.`,
			remedy: `Give yourself permission: chmod -R u+rwX ${JSON.stringify(dirname(path))}`,
		};
	const owner = stats.uid === 0 ? "root" : `another user (uid ${stats.uid})`;
	const folder = stats.isDirectory() ? at : dirname(at);
	return {
		message: `${path} cannot be used: ${at === path ? "it" : at} belongs to ${owner}, but this is uid ${own}.`,
		remedy: `Give it back: sudo chown -R ${own} ${JSON.stringify(folder)}`,
	};
}

function nearestExisting(path: string): { readonly at: string; readonly stats: Stats | undefined } {
	for (let at = path; ; at = dirname(at)) {
		try {
			return { at, stats: statSync(at) };
		} catch {
			if (dirname(at) === at) return { at, stats: undefined };
		}
	}
}
