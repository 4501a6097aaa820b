// Updates the user's files from one snapshot to another, with their concurrent changes as another side of the merge.
// Nothing is written while there is a conflict; repeated with the same snapshots after a crash, it completes; files that change
// between scan and write are scanned again.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { JoinedFiles, MergedFiles, SideNames } from "@pi-chronicle/core/ports";
import { replaceFile } from "../../disk/index.ts";
import { readBlobs } from "./blobs.ts";
import { type RawChange, rawChanges } from "./compare.ts";
import { changedMeanwhile, inTheWay, unlessChanged } from "./failures.ts";
import { isFileMode, isNothing } from "./git.ts";
import { mergeByPath } from "./merge-by-path.ts";
import { editTree } from "./private-index.ts";
import { prepareRestore, restoreTree } from "./restore.ts";
import type { FileSnapshot, Store } from "./store.ts";

/** A started write of files, as snapshots. */
interface JoinNote {
	readonly from: string;
	readonly to: string;
	/** The files before and after the write. */
	readonly tree: string;
	readonly goal: string;
}

const noteFile = "joining";

/** Records that the files are about to be written. */
async function noteJoin(folder: string, { from, to, tree, goal }: JoinNote): Promise<void> {
	await replaceFile(join(folder, noteFile), [from, to, tree, goal].join("\n"));
}

async function forgetJoin(folder: string): Promise<void> {
	await rm(join(folder, noteFile), { force: true });
}

/** The interrupted join from `from` to `to`; `undefined` if there is none. */
async function interruptedJoin(folder: string, from: string, to: string): Promise<JoinNote | undefined> {
	const text = await readFile(join(folder, noteFile), "utf8").catch(() => "");
	const [noted, goalOf, tree, goal] = text.split("\n");
	if (noted !== from || goalOf !== to || tree === undefined || goal === undefined) return undefined;
	return { from, to, tree, goal };
}

/** The snapshot `now`, with files that the interrupted write left incomplete replaced by their intended contents. */
async function withoutHalfWritten(
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
			isFileMode(after.mode) && olds.has(path) && olds.get(path) !== before.object && canBeHalf(before),
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

function canBeHalf({ mode, object }: RawChange["before"]): boolean {
	return isNothing(object) || isFileMode(mode);
}

export interface JoinRequest {
	readonly from: string;
	readonly to: string;
	readonly names: SideNames;
	readonly folder: string;
	readonly cwd: string;
}

const maxRounds = 10;

/** Joins `to` into the files, which were at `from`. */
export async function joinFiles(store: Store, request: JoinRequest): Promise<JoinedFiles> {
	const { from, to, folder, cwd } = request;
	let now = await store.snapshot();
	for (let round = 0; round < maxRounds; round += 1) {
		const { tree } = now;
		const merged = await mergeNow(store, request, tree);
		const { conflicts, tree: goal } = merged;
		if (conflicts.length > 0) return { tree, left: [], conflicts };
		now = await snapshotTowards(store, goal);
		// An ignored file at a path to be written is now part of the files, and of the merge.
		if (now.tree !== tree) continue;
		const restored = await unlessChanged(() => writeJoined(store, { from, to, tree, goal }, { folder, cwd }));
		if (restored) return { ...restored, conflicts: [] };
		now = await store.snapshot();
	}
	throw changedMeanwhile();
}

async function mergeNow(
	store: Store,
	{ from, to, names, folder, cwd }: JoinRequest,
	now: string,
): Promise<MergedFiles> {
	const note = await interruptedJoin(folder, from, to);
	const ours = note ? await withoutHalfWritten(store, now, note, folder) : now;
	return mergeByPath(store, { base: from, ours, theirs: to, names }, { folder, cwd });
}

async function writeJoined(
	store: Store,
	note: JoinNote,
	{ folder, cwd }: { readonly folder: string; readonly cwd: string },
) {
	if (note.tree !== note.goal) await noteJoin(folder, note);
	const restored = await restoreTree(store, note.goal, { expected: note.tree, folder, cwd });
	await forgetJoin(folder);
	return restored;
}

/** A snapshot that includes everything that a restore of `tree` would overwrite. */
export async function snapshotTowards(store: Store, tree: string): Promise<FileSnapshot> {
	const { now, blocked } = await prepareRestore(store, tree);
	if (blocked.length > 0) throw inTheWay(blocked);
	return now;
}
