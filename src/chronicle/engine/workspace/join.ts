// Updates the user's files from one snapshot to another, with their concurrent changes as another side of the merge.
// J1 nothing is written while there is a conflict; J2 repeated with the same snapshots after a crash, it completes; J3 files that change
// between scan and write are scanned again.

import type { JoinedFiles, MergedFiles, SideNames } from "../../core/index.ts";
import { changedMeanwhile, inTheWay, unlessChanged } from "./failures.ts";
import { forgetJoin, interruptedJoin, type JoinNote, noteJoin, withoutHalfWritten } from "./interrupted-join.ts";
import { mergeByPath } from "./merge-by-path.ts";
import { prepareRestore, restoreTree } from "./restore.ts";
import type { FileSnapshot, Store } from "./store.ts";

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
		const restored = await unlessChanged(() => write(store, { from, to, tree, goal }, { folder, cwd }));
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

async function write(store: Store, note: JoinNote, { folder, cwd }: { readonly folder: string; readonly cwd: string }) {
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
