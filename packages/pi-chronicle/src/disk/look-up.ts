// Looks up names, paths and small files; what is missing or unreadable counts as absent.
import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The result of `ask`; `undefined` if it throws. */
export function attempt<T>(ask: () => T): T | undefined {
	try {
		return ask();
	} catch {
		return undefined;
	}
}

/** The text of a file of settings; `undefined` if it is missing, unreadable, or longer than `maxBytes`. */
export function readSmallFile(path: string, maxBytes = 1_000_000): string | undefined {
	return attempt(() => (statSync(path).size > maxBytes ? undefined : readFileSync(path, "utf8")));
}

/** The entries of a folder; empty if it cannot be listed. */
export function folderEntries(folder: string): readonly Dirent[] {
	return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** The names in a folder, sorted; empty if it cannot be listed. */
export function folderNames(folder: string): readonly string[] {
	return attempt(() => readdirSync(folder).sort()) ?? [];
}

/** The absolute path without links; `undefined` if nothing exists there. */
export function realPathOf(path: string): string | undefined {
	return attempt(() => realpathSync.native(path));
}

/** The absolute path without links, as far as it exists, and the rest of it unchanged. */
export function deepestRealPath(path: string): string {
	const real = realPathOf(path);
	const parent = dirname(path);
	return real ?? (parent === path ? path : join(deepestRealPath(parent), basename(path)));
}

/** The object in a JSON file; `undefined` if there is none, or the file cannot be read. */
export function jsonObject(file: string): Readonly<Record<string, unknown>> | undefined {
	const data: unknown = attempt(() => JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, "")));
	return typeof data === "object" && data !== null && !Array.isArray(data)
		? (data as Record<string, unknown>)
		: undefined;
}

/** Whether something else than a file is at `path`: a folder, a device, or a link that leads to no file. */
export function isNoFile(path: string): boolean {
	if (!attempt(() => lstatSync(path))) return false;
	return attempt(() => statSync(path))?.isFile() !== true;
}
