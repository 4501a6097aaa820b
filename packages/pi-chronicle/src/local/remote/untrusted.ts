// Parses data from the git remote, and checks names from any source before git or the disk uses them. The content is not trusted: everyone who can
// push can write any content. A name becomes part of a path or of a git command only after it was checked here. Content that cannot be parsed counts
// as absent.
import { join } from "node:path";
import { isText, listOf, object, optional, parseUntrusted, type Shape } from "@pi-chronicle/core/definition";
import { deepestRealPath } from "../../disk/index.ts";
import type { FileMode } from "../workspace/index.ts";

/** Whether a text can be the name of a git object. */
export const isObjectName: Shape<string> = (value): value is string =>
	isText(value) && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);

/** Whether a text names a folder below another one, or that one: empty. */
export const isFolderBelow: Shape<string> = (value): value is string =>
	isText(value) &&
	value.length <= 4096 &&
	!/[\0\\]/.test(value) &&
	(value === "" || value.split("/").every((name) => !/^(?:|\.|\.\.|\.git)$/i.test(name)));

/** The folder `below` in `root`. Throws a sentence if it is not inside, also through a link. */
export function folderIn(root: string, below: string): string {
	const folder = join(root, below);
	const inside = deepestRealPath(root);
	const real = deepestRealPath(folder);
	if (!isFolderBelow(below) || (real !== inside && !real.startsWith(`${inside}/`)))
		throw new Error(`The run's folder ${JSON.stringify(below)} is not inside its working folder.`);
	return folder;
}

/** Whether a text can be the name of a branch, as far as a refspec is concerned. */
export function isBranchName(name: string): boolean {
	return /^[^\0-\x20\x7f~^:?*[\\-][^\0-\x20\x7f~^:?*[\\]*$/.test(name) && !/\.\.|@\{|\/\/|\/$|\.lock$|\.$/.test(name);
}

/** Content of a snapshot commit's message. */
export interface SnapshotNote {
	/** The folder that the run works in, below the repository's root. */
	readonly folder: string;
	/** Objects that stand for omitted contents, as the store lists them. */
	readonly placeholders: readonly string[];
	/** Permissions that git does not keep; absent: there are none. */
	readonly modes?: readonly FileMode[];
}

const isFileMode: Shape<FileMode> = (value): value is FileMode =>
	Array.isArray(value) &&
	isText(value[0]) &&
	Number.isInteger(value[1]) &&
	// The owner can read the file.
	value[1] >= 0o400 &&
	value[1] <= 0o777;

const isWrittenNote = object<Partial<SnapshotNote>>({
	folder: optional(isFolderBelow),
	placeholders: optional(
		listOf<string>((value): value is string => isText(value) && /^[0-9a-f]{40,64}(?: secret)?$/.test(value)),
	),
	modes: optional(listOf<FileMode>(isFileMode)),
});

/** The note in the message of a snapshot commit; `undefined`: it is none. */
export function parseNote(message: string): SnapshotNote | undefined {
	const [, , data = "{}"] = message.split("\n");
	const note = parseUntrusted(data, isWrittenNote);
	return note && { folder: "", placeholders: [], ...note };
}
