// Resolves the path of an entry of `phases` and checks that it stays inside the workflow directories.
// The path that is read is the real path that was checked; a path that leads outside is refused, whether or not the file exists.
import { lstatSync } from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { isInside, type Problem, quoted } from "@pi-chronicle/core/definition";
import { realPathOf } from "../../disk/index.ts";

export interface Ground {
	/** Directory of the workflow, links not resolved. */
	readonly directory: string;
	/** The directory that contains the workflows, links not resolved. */
	readonly root: string;
	/** Real paths of the directories that may contain phase files: the root, and the workflow's own if a link in the root leads to it. */
	readonly allowed: readonly string[];
}

export type EntryPath =
	| { readonly kind: "inside"; readonly file: string; readonly real: string }
	| { readonly kind: "absent"; readonly file: string }
	| { readonly kind: "refused"; readonly problem: Problem };

/** Real paths of directories, each resolved once per catalogue load. */
export type RealDirectories = (directory: string) => string | undefined;

/** Opens the cache of real paths for one load. */
export function openRealDirectories(): RealDirectories {
	const known = new Map<string, string | undefined>();
	return (directory) => {
		if (!known.has(directory)) known.set(directory, realPathOf(directory));
		return known.get(directory);
	};
}

/** Finds the file that an entry names. */
export function locateEntry(entry: string, ground: Ground, realDirectory: RealDirectories): EntryPath {
	if (entry.includes("\0"))
		return refusedPath("bad-path", `The path ${quoted(entry)} contains a NUL character.`, "Remove it.");
	const file = isAbsolute(entry) ? normalize(entry) : resolve(ground.directory, entry);
	const parent = realDirectory(dirname(file));
	if (parent === undefined) return isInside(ground.root, file) ? { kind: "absent", file } : leadsOut(entry);
	const plain = join(parent, basename(file));
	let real: string | undefined = plain;
	try {
		if (lstatSync(file).isSymbolicLink()) real = realPathOf(file);
	} catch {
		return isAllowedPath(plain, ground) ? { kind: "absent", file } : leadsOut(entry);
	}
	if (real === undefined)
		return refusedPath(
			"broken-link",
			`The link ${quoted(entry)} is broken.`,
			"Point it at a phase file, or replace it.",
		);
	return isAllowedPath(real, ground) ? { kind: "inside", file, real } : leadsOut(entry);
}

function isAllowedPath(real: string, ground: Ground): boolean {
	return ground.allowed.some((directory) => isInside(directory, real));
}

function leadsOut(entry: string): EntryPath {
	const home = /^~[/\\]/.test(entry);
	return refusedPath(
		"outside",
		`The phase file ${quoted(entry)} is outside the workflows folder, so it is not read.`,
		home
			? "`~` is not expanded here: write a path relative to workflow.yaml."
			: "Move the file below that folder, for example into `_shared/`, and name it with a relative path.",
	);
}

function refusedPath(code: string, message: string, remedy: string): EntryPath {
	return { kind: "refused", problem: { code, message, remedy } };
}
