// Permissions that git does not keep: a file that only its owner can read is so again after a rewind, its undoing, or a join.
// The newest permissions of a path count, whatever the snapshot; usual ones are recorded only where they replace others.

import { readFileSync } from "node:fs";
import { appendFile, chmod, lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { attempt, realPathOf } from "../../disk/index.ts";
import { foldersAbove, pathBytes } from "./paths.ts";

export interface FileModes {
	/** Remembers the permissions of a path (bytes as latin1) until `save`. */
	note(path: string, mode: number): void;
	save(): Promise<void>;
	/**
	 * Gives files at `paths` below `root`, which were just created, and their folders, the recorded permissions; what is not recorded keeps its own. The
	 * path of a folder ends in `/`.
	 */
	apply(root: string, paths: readonly string[]): Promise<void>;
}

const listFile = "modes";

/** Opens the permissions of the files of the store in `folder`; a child shares those of its parent. */
export function openFileModes(folder: string): FileModes {
	let known: Map<string, number> | undefined;
	const mask = process.umask();
	/** Those of files and folders that git creates. */
	const usual = new Set([0o666 & ~mask, 0o777 & ~mask]);
	const pending: string[] = [];
	// Next to the objects, which a child shares with its parent.
	const list = (): string => join(dirname(realPathOf(join(folder, "objects")) ?? join(folder, "objects")), listFile);
	return {
		note(path, mode) {
			known ??= readModes(list());
			const permissions = mode & 0o777;
			const before = known.get(path);
			if (before === permissions || (before === undefined && usual.has(permissions))) return;
			known.set(path, permissions);
			pending.push(`${JSON.stringify([path, permissions])}\n`);
		},
		async save() {
			const lines = pending.splice(0);
			if (lines.length > 0) await appendFile(list(), lines.join(""), { mode: 0o600 });
		},
		async apply(root, paths) {
			// A child may have added some.
			known = readModes(list());
			if (known.size === 0) return;
			const folders = new Set(paths.flatMap((path) => foldersAbove(path).map((folder) => `${folder}/`)));
			for (const path of [...paths, ...folders]) {
				const mode = known.get(path);
				if (mode !== undefined) await setMode(pathBytes(root, path), mode);
			}
		},
	};
}

/** Gives the file or folder at `path` permissions; whether a file is a program stays as it is, because that is part of a snapshot. */
export async function setMode(path: Buffer, mode: number): Promise<void> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats?.isDirectory() && !stats?.isFile()) return;
	const wanted = stats.isFile() ? asProgram(mode, (stats.mode & 0o100) !== 0) : mode;
	if ((stats.mode & 0o777) !== wanted) await chmod(path, wanted).catch(() => {});
}

function asProgram(mode: number, isProgram: boolean): number {
	if (((mode & 0o100) !== 0) === isProgram) return mode;
	// Others can run what they can read.
	return isProgram ? mode | 0o100 | ((mode & 0o044) >> 2) : mode & ~0o111;
}

/** A path (bytes as latin1; that of a folder ends in `/`) with its permissions. */
export type FileMode = readonly [path: string, mode: number];

/** At most so many are handed over to other hosts. */
const maxHandedOver = 2000;

function readModeLine(line: string): FileMode[] {
	// The last line may be torn by a crash.
	const [path, mode] = attempt(() => JSON.parse(line) as readonly unknown[]) ?? [];
	return typeof path === "string" && typeof mode === "number" ? [[path, mode]] : [];
}

function readModes(list: string): Map<string, number> {
	const text = attempt(() => readFileSync(list, "utf8")) ?? "";
	return new Map(text.split("\n").flatMap(readModeLine));
}

/** The permissions that the store in `folder` has recorded last. */
export function readFileModes(folder: string): readonly FileMode[] {
	return [...readModes(join(folder, listFile))].slice(-maxHandedOver);
}

/** Records the permissions that another host has handed over, as far as they let nobody read or write more than this process' usual ones. */
export async function addFileModes(folder: string, modes: readonly FileMode[]): Promise<void> {
	const known = new Map(readFileModes(folder));
	const allowed = modes.map(([path, mode]): FileMode => [path, mode & ~process.umask()]);
	const added = allowed.filter(([path, mode]) => known.get(path) !== mode);
	const text = added.map((one) => `${JSON.stringify(one)}\n`).join("");
	if (text !== "") await appendFile(join(folder, listFile), text, { mode: 0o600 });
}
