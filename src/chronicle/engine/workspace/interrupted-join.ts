// Files that an interrupted join left incomplete: git replaces a file by removing and rewriting it, so a kill or a full disk leaves it
// missing or truncated. Such a file must not count as a change by the user.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readBlobs } from "./blobs.ts";
import { type RawChange, rawChanges } from "./compare.ts";
import { isNothing, modes } from "./git.ts";
import { editTree } from "./private-index.ts";
import type { Store } from "./store.ts";

/** A started write of files, as snapshots. */
export interface JoinNote {
	readonly from: string;
	readonly to: string;
	/** The files before and after the write. */
	readonly tree: string;
	readonly goal: string;
}

const noteFile = "joining";

/** Records that the files are about to be written. */
export async function noteJoin(folder: string, { from, to, tree, goal }: JoinNote): Promise<void> {
	await writeFile(join(folder, noteFile), [from, to, tree, goal].join("\n"), { mode: 0o600 });
}

export async function forgetJoin(folder: string): Promise<void> {
	await rm(join(folder, noteFile), { force: true });
}

/** The interrupted join from `from` to `to`; `undefined` if there is none. */
export async function interruptedJoin(folder: string, from: string, to: string): Promise<JoinNote | undefined> {
	const text = await readFile(join(folder, noteFile), "utf8").catch(() => "");
	const [noted, goalOf, tree, goal] = text.split("\n");
	if (noted !== from || goalOf !== to || tree === undefined || goal === undefined) return undefined;
	return { from, to, tree, goal };
}

/** The snapshot `now`, with files that the interrupted write left incomplete replaced by their intended contents. */
export async function withoutHalfWritten(
	store: Store,
	now: string,
	{ tree, goal }: JoinNote,
	folder: string,
): Promise<string> {
	const planned = await rawChanges(store, tree, goal, "apart");
	const open = await rawChanges(store, now, goal, "apart");
	const olds = new Map(planned.map(({ path, before }) => [path, before.object]));
	const candidates = open.filter(
		({ path, before, after }) =>
			isFile(after.mode) && olds.has(path) && olds.get(path) !== before.object && canBeHalf(before),
	);
	const contents = await readBlobs(store, [
		...new Set(
			candidates.flatMap(({ before, after }) => [before.object, after.object]).filter((one) => !isNothing(one)),
		),
	]);
	const isHalf = ({ before, after }: RawChange): boolean => {
		if (isNothing(before.object)) return true;
		const [part, whole] = [contents.get(before.object), contents.get(after.object)];
		return part !== undefined && (whole?.subarray(0, part.length).equals(part) ?? false);
	};
	const half = candidates.filter(isHalf).map(({ path, after }) => ({ path, ...after }));
	return editTree(store, now, half, folder);
}

function isFile(mode: string): boolean {
	return mode === modes.file || mode === modes.program;
}

function canBeHalf({ mode, object }: RawChange["before"]): boolean {
	return isNothing(object) || isFile(mode);
}
