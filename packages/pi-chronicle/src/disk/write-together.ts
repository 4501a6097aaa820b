// Writes several files together.
// All of them or none: after a failure every file and folder is as it was; the first file, which names the others, is written last, so a
// process that is killed meanwhile leaves nothing that would be read without its parts.
import {
	chmodSync,
	closeSync,
	existsSync,
	lstatSync,
	mkdirSync,
	openSync,
	readFileSync,
	rmdirSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { attempt } from "./look-up.ts";
import { inheritOwnerSync } from "./ownership.ts";
import { replaceFileSync } from "./replace-file.ts";

export interface FileToWrite {
	/** Absolute. */
	readonly path: string;
	readonly content: string | Uint8Array;
}

type Undo = () => void;

/** Writes files and their missing folders. `existing`: what is done with a file that exists. Throws what the disk throws. */
export function writeTogether(files: readonly FileToWrite[], existing: "fail" | "replace"): void {
	const undo: Undo[] = [];
	try {
		for (const file of files.toReversed()) {
			makeFolders(dirname(file.path), undo);
			const before = lstatSync(file.path, { throwIfNoEntry: false });
			if (before && existing === "replace") replace(file, before.mode & 0o777, undo);
			else writeNew(file, undo);
		}
	} catch (error) {
		// A step that fails keeps no other from being undone.
		for (const step of undo.toReversed()) attempt(step);
		throw error;
	}
}

function makeFolders(folder: string, undo: Undo[]): void {
	if (existsSync(folder)) return;
	makeFolders(dirname(folder), undo);
	mkdirSync(folder);
	undo.push(() => rmdirSync(folder));
	inheritOwnerSync(folder);
}

function writeNew({ path, content }: FileToWrite, undo: Undo[]): void {
	const file = openSync(path, "wx");
	undo.push(() => rmSync(path, { force: true }));
	try {
		writeFileSync(file, content);
	} finally {
		closeSync(file);
	}
	inheritOwnerSync(path);
}

function replace({ path, content }: FileToWrite, mode: number, undo: Undo[]): void {
	const before = readFileSync(path);
	const put = (text: string | Uint8Array): void => {
		replaceFileSync(path, text);
		chmodSync(path, mode);
	};
	undo.push(() => put(before));
	put(content);
}
