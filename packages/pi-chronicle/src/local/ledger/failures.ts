// The store's failures: translates disk errors for the user.
import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemWords } from "@pi-chronicle/core/definition";
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
				remedy: "Free some space, then start or resume the run: no recorded data is lost.",
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
		case "ENOENT":
			// Creating a folder on a read-only file system fails with this code, too.
			return refusedWrite(path) ?? missingRun(path);
		default:
			return {
				reason: "io",
				message: `${path} could not be read or written: ${code ? systemWords(code) : message}.`,
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

/** Why nothing can be written in `path`, or in the folder above it that exists; `undefined` if that is possible. */
export function refusedWrite(path: string): StoreFailure | undefined {
	try {
		accessSync(nearestExisting(path).at, constants.W_OK);
		return undefined;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : diskFailure(error, path);
	}
}

/** The owner of a path that this account may not use, and the remedy. */
function explainPermissions(path: string): Pick<StoreFailure, "message" | "remedy"> {
	const { at, stats } = nearestExisting(path);
	const own = process.geteuid?.();
	const folder = stats?.isDirectory() ? at : dirname(at);
	if (!stats || own === undefined || stats.uid === own)
		return {
			message: `${path} cannot be used: its permissions do not allow it.`,
			remedy: `Give yourself permission: chmod -R u+rwX ${JSON.stringify(folder)}`,
		};
	const owner = stats.uid === 0 ? "root" : `another user (uid ${stats.uid})`;
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
