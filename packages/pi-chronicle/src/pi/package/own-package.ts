// This package's folder and version, and which commands are its own: by their source file, never by their name.
import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { jsonObject, realPathOf } from "../../disk/index.ts";

/** Absolute real path of this package's folder: the nearest parent folder of this file with a package.json. */
export function packageRoot(): string {
	let folder = dirname(fileURLToPath(import.meta.url));
	while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
	return realPathOf(folder) ?? folder;
}

/** The version that the package.json in `folder` names; this package's by default. */
export function packageVersion(folder = packageRoot()): string {
	return String(jsonObject(join(folder, "package.json"))?.version);
}

/** Whether the file at `path` belongs to this package. */
export function isOwnFile(path: string, root = packageRoot()): boolean {
	return realPathOf(path)?.startsWith(root + sep) === true;
}
