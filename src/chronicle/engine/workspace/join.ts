// Updates the user's files from one snapshot to another, with their concurrent changes as another side of the merge.
// J1 nothing is written while there is a conflict; J2 repeated with the same snapshots after a crash, it completes; J3 files that change
// between scan and write are scanned again.
import type { JoinedFiles, MergedFiles, Result, SideNames, WorkspaceFailure } from "../../core/index.ts";
import { changedMeanwhile, inTheWay, ioFailure } from "./failures.ts";
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
export async function joinFiles(store: Store, request: JoinRequest): Promise<Result<JoinedFiles, WorkspaceFailure>> {
	const { from, to, folder, cwd } = request;
	let now = await store.snapshot();
	for (let round = 0; round < maxRounds; round += 1) {
		if (!now.ok) return now;
		const { tree } = now.value;
		const merged = await mergeNow(store, request, tree);
		if (!merged.ok) return merged;
		const { conflicts } = merged.value;
		if (conflicts.length > 0) return { ok: true, value: { tree, left: [], conflicts } };
		const goal = merged.value.tree;
		now = await snapshotTowards(store, goal);
		if (!now.ok) return now;
		// An ignored file at a path to be written is now part of the files, and of the merge.
		if (now.value.tree !== tree) continue;
		const restored = await write(store, { from, to, tree, goal }, { folder, cwd });
		if (restored.ok) return { ok: true, value: { ...restored.value, conflicts: [] } };
		if (restored.failure.reason !== "changed") return restored;
		now = await store.snapshot();
	}
	return changedMeanwhile;
}

async function mergeNow(
	store: Store,
	{ from, to, names, folder, cwd }: JoinRequest,
	now: string,
): Promise<Result<MergedFiles, WorkspaceFailure>> {
	const note = await interruptedJoin(folder, from, to);
	const ours = note ? await withoutHalfWritten(store, now, note, folder) : { ok: true as const, value: now };
	if (!ours.ok) return ours;
	return mergeByPath(store, { base: from, ours: ours.value, theirs: to, names }, { folder, cwd });
}

async function write(store: Store, note: JoinNote, { folder, cwd }: { readonly folder: string; readonly cwd: string }) {
	try {
		if (note.tree !== note.goal) await noteJoin(folder, note);
		const restored = await restoreTree(store, note.goal, { expected: note.tree, folder, cwd });
		if (restored.ok) await forgetJoin(folder);
		return restored;
	} catch (error) {
		return ioFailure(error);
	}
}

/** A snapshot that includes everything that a restore of `tree` would overwrite. */
export async function snapshotTowards(store: Store, tree: string): Promise<Result<FileSnapshot, WorkspaceFailure>> {
	const prepared = await prepareRestore(store, tree);
	if (!prepared.ok) return prepared;
	const { now, blocked } = prepared.value;
	return blocked.length > 0 ? inTheWay(blocked) : { ok: true, value: now };
}
