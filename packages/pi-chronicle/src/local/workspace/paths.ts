// Names of files in git's form: bytes as latin1, `/` between segments, below the root.
import { accessSync, constants } from "node:fs";
import { sep } from "node:path";
import { attempt } from "../../disk/index.ts";

/** The readable form of a file name. */
export function fromRaw(name: string): string {
	return Buffer.from(name, "latin1").toString("utf8");
}

/** A system path below the root, in git's form. */
export function toRaw(path: string): string {
	return Buffer.from(path.split(sep).join("/"), "utf8").toString("latin1");
}

/** The absolute path as bytes: names need not be UTF-8. */
export function pathBytes(root: string, name: string): Buffer {
	return Buffer.concat([Buffer.from(`${root}${sep}`), Buffer.from(name, "latin1")]);
}

/** Whether the file `name` below `root` can be read. */
export function isReadable(root: string, name: string): boolean {
	return attempt(() => accessSync(pathBytes(root, name), constants.R_OK) === undefined) ?? false;
}

/** Compares two entries by path. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
	return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** The folders above a path, nearest last. */
export function foldersAbove(path: string): string[] {
	const parts = path.split("/");
	return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
