// The copy of a run's event log outside the project: what deletes ignored files (`git clean -x`) deletes the log, but not its copy.
// The copy never has less than the log: a batch goes to the copy first; a copy that cannot be written stops nothing, and is made again from
// the log when the run is opened next; only the holder of the run's lease writes it; what the log has counts; the copy only gives back a lost log or a lost end.

import { type FileHandle, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorMessage } from "@pi-chronicle/core/definition";
import {
	isNoFile,
	makePrivateFolder,
	readLines,
	replaceFile,
	undefinedIfMissing,
	usedBytes,
} from "../../disk/index.ts";
import { LOG_ENDING, type RunPaths } from "./layout.ts";
import { removeDeadDrafts } from "./lease.ts";

/** In the folder of a project's copies: the project's path. */
const projectFile = "project";
const chunkBytes = 1 << 20;

/** The folder with the copies of one project, and that project. */
export interface CopiesPlace {
	readonly folder: string;
	readonly project: string;
}

/** The folder with the copies of all projects. */
export function logCopiesRoot(agentFolder: string): string {
	return join(agentFolder, "chronicle", "ledgers");
}

export interface LogCopy {
	/** Appends bytes that are about to be appended to the log, which has `size` bytes. */
	precede(size: number, bytes: Uint8Array): Promise<void>;
	/** Takes back what was appended to the copy but could not be appended to the log, which has `size` bytes. */
	withdraw(size: number): Promise<void>;
	/** Makes the copy equal to the log, which has `size` bytes. Resolves to the reason if that is impossible. */
	follow(size: number): Promise<string | undefined>;
	close(): Promise<void>;
}

/** The path of a run's copy. */
export function logCopyPath({ folder }: Pick<CopiesPlace, "folder">, { log }: Pick<RunPaths, "log">): string {
	return join(folder, basename(log));
}

/** The folder of the saved files of a run with children. */
export function savedFilesPath({ folder }: CopiesPlace, { log }: Pick<RunPaths, "log">): string {
	return join(folder, basename(log).replace(LOG_ENDING, ".files"));
}

/** Ids of the runs that have a copy. */
export async function copiedRuns({ folder }: CopiesPlace): Promise<readonly string[]> {
	const names = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
	return names.filter((name) => name.endsWith(LOG_ENDING)).map((name) => name.slice(0, -LOG_ENDING.length));
}

/** The paths of a run to read it by: the copy of its events if the log is gone. */
export async function readablePaths(paths: RunPaths, copies: CopiesPlace | undefined): Promise<RunPaths> {
	// An empty log has lost its events: only runs that began have a copy.
	if (!copies || isNoFile(paths.log) || ((await fileSize(paths.log)) ?? 0) > 0) return paths;
	const copy = logCopyPath(copies, paths);
	return (await hasFile(copy)) ? { ...paths, log: copy } : paths;
}

/**
 * Brings back from the copy what a log has lost: all of it, or its end. Only for the holder of the lease. A log that differs from the
 * copy anywhere else stays as it is.
 */
export async function completeLog({ log }: RunPaths, copies: CopiesPlace | undefined): Promise<void> {
	if (!copies) return;
	await removeDeadDrafts(copies.folder, `.${basename(log)}.`);
	const copy = logCopyPath(copies, { log });
	if (isNoFile(copy) || !(await hasFile(copy))) return;
	const [had, kept] = [(await fileSize(log)) ?? 0, await wholeLines(copy)];
	if (kept > had && (await startAlike(log, copy, had))) await copyBytes(copy, log, kept);
}

async function hasFile(path: string): Promise<boolean> {
	return (await fileSize(path)) !== undefined;
}

function fileSize(path: string): Promise<number | undefined> {
	return stat(path).then(({ size }) => size, undefinedIfMissing);
}

/** Bytes of the complete lines of a file. */
async function wholeLines(path: string): Promise<number> {
	let bytes = 0;
	for await (const { lines } of readLines(path)) for (const line of lines) bytes = line.at + line.bytes.length + 1;
	return bytes;
}

/** Whether the first `size` bytes of two files are equal. */
async function startAlike(one: string, other: string, size: number): Promise<boolean> {
	if (size === 0) return true;
	const files = [await open(one, "r"), await open(other, "r")] as const;
	try {
		for (let at = 0; at < size; at += chunkBytes) {
			const [a, b] = await Promise.all(
				files.map((file) => file.read(Buffer.alloc(chunkBytes), 0, Math.min(chunkBytes, size - at), at)),
			);
			if (!a || !b || !a.buffer.equals(b.buffer)) return false;
		}
		return true;
	} finally {
		for (const file of files) await file.close();
	}
}

async function copyBytes(from: string, to: string, size: number): Promise<void> {
	const source = await open(from, "r");
	try {
		await replaceFile(to, async (draft) => {
			const chunk = Buffer.alloc(chunkBytes);
			for (let at = 0; at < size; ) {
				const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, size - at), at);
				if (bytesRead === 0) break;
				await draft.writeFile(chunk.subarray(0, bytesRead));
				at += bytesRead;
			}
		});
	} finally {
		await source.close();
	}
}

/** Opens the copy of the log at `log`, for the holder of the lease. Writes nothing yet. */
export function openLogCopy(copies: CopiesPlace, { log }: Pick<RunPaths, "log">): LogCopy {
	const path = logCopyPath(copies, { log });
	let file: FileHandle | undefined;
	/** Bytes of the copy; `undefined`: it may differ from the log. */
	let known: number | undefined;
	let failed = false;
	const follow = async (size: number): Promise<void> => {
		await file?.close();
		file = undefined;
		await prepareCopyFolder(copies);
		const isEqual = (await fileSize(path)) === size && (await startAlike(log, path, size));
		if (!isEqual) await copyBytes(log, path, size);
		file = await open(path, "a", 0o600);
		known = size;
	};
	return {
		async precede(size, bytes) {
			if (failed) return;
			try {
				if (known !== size) await follow(size);
				known = undefined;
				await file?.appendFile(bytes);
				known = size + bytes.length;
			} catch {
				failed = true;
			}
		},
		async withdraw(size) {
			known = undefined;
			await file?.truncate(size).catch(() => {});
		},
		async follow(size) {
			try {
				await follow(size);
				return undefined;
			} catch (error) {
				failed = true;
				return errorMessage(error);
			}
		},
		async close() {
			await file?.close();
			file = undefined;
		},
	};
}

async function prepareCopyFolder({ folder, project }: CopiesPlace): Promise<void> {
	await makePrivateFolder(folder);
	const named = join(folder, projectFile);
	if (!(await hasFile(named))) await replaceFile(named, `${project}\n`);
}

/** Removes all that is kept of a run outside the project; resolves to its bytes. */
export async function removeCopy(copies: CopiesPlace, paths: Pick<RunPaths, "log">): Promise<number> {
	let bytes = 0;
	// The log last: until then, the removal can be repeated.
	for (const path of [savedFilesPath(copies, paths), logCopyPath(copies, paths)]) {
		bytes += await usedBytes(path);
		await rm(path, { recursive: true, force: true });
	}
	return bytes;
}

/** The copies of projects that do not exist any more; `root`: the folder of the copies of all projects. */
export async function orphanedLogCopies(root: string): Promise<readonly string[]> {
	const found: string[] = [];
	for (const name of (await readdir(root).catch(undefinedIfMissing)) ?? []) {
		const folder = join(root, name);
		const project = (await readFile(join(folder, projectFile), "utf8").catch(undefinedIfMissing))?.trim();
		if (project !== undefined && !(await hasFile(project))) found.push(folder);
	}
	return found;
}
