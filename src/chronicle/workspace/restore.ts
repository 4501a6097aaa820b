// Bringing files back to a kept state.
// B1 what is ignored stays; B2 what was too large to keep stays as it is now; B3 repositories inside get their files back and keep their
// HEAD; B4 nothing is overwritten that has not been kept just before.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Result, WorkspaceFailure } from "../supervisor/index.ts";
import { type RawChange, rawChanges, unknownTree } from "./compare.ts";
import { fromRaw, gitFailure } from "./failures.ts";
import { modes } from "./git.ts";
import { indexInfo, innerTree } from "./keep.ts";
import type { Store } from "./store.ts";

/** Brings the files of `store` to `tree`. `folder` is where a second index may be made. */
export async function restoreFiles(
	store: Store,
	tree: string,
	folder: string,
): Promise<Result<void, WorkspaceFailure>> {
	const kept = await store.keep();
	if (!kept.ok) return kept;
	if (kept.value === tree) return { ok: true, value: undefined };
	const between = await rawChanges(store, kept.value, tree, "apart");
	if (!between.ok) return between;
	const special = between.value.filter(({ before, after }) => [before, after].some((side) => isSpecial(store, side)));
	const goal = await goalTree(store, tree, special, folder);
	if (!goal.ok) return goal;
	const there = await hasAll(store, kept.value, goal.value);
	if (!there.ok) return there;
	store.indexChanged();
	const merged = await store.git(["read-tree", "-m", "-u", kept.value, goal.value]);
	if (merged.kind !== "done") return gitFailure(merged);
	for (const change of special) {
		const back = await restoreInside(store, change, folder);
		if (!back.ok) return back;
	}
	return { ok: true, value: undefined };
}

function isSpecial(store: Store, { mode, object }: RawChange["before"]): boolean {
	return mode === modes.repository || store.isLarge(object);
}

/** `tree` with everything in its place as it is now that git cannot bring back. */
async function goalTree(
	store: Store,
	tree: string,
	special: readonly RawChange[],
	folder: string,
): Promise<Result<string, WorkspaceFailure>> {
	if (special.length === 0) return { ok: true, value: tree };
	const index = join(folder, "index.goal");
	try {
		const read = await store.git(["read-tree", tree], { index });
		if (read.kind !== "done") return gitFailure(read);
		const entries = special.map(({ path, before }) => ({ path, ...before }));
		const set = await store.git(["update-index", "-z", "--add", "--replace", "--index-info"], {
			index,
			input: indexInfo(entries),
		});
		if (set.kind !== "done") return gitFailure(set);
		const written = await store.git(["write-tree"], { index });
		return written.kind === "done"
			? { ok: true, value: written.output.toString("latin1").trim() }
			: gitFailure(written);
	} finally {
		await rm(index, { force: true });
	}
}

/** Whether every content that has to come back is there: half of the files would be worse than none. */
async function hasAll(store: Store, from: string, to: string): Promise<Result<void, WorkspaceFailure>> {
	const between = await rawChanges(store, from, to, "apart");
	if (!between.ok) return between;
	const objects = between.value.map(({ after }) => after.object).filter((object) => !/^0+$/.test(object));
	if (objects.length === 0) return { ok: true, value: undefined };
	const checked = await store.git(["cat-file", "--batch-check=%(objecttype)"], {
		input: Buffer.from(`${objects.join("\n")}\n`),
	});
	if (checked.kind !== "done") return gitFailure(checked);
	return checked.output.toString("latin1").includes("missing") ? unknownTree(to) : { ok: true, value: undefined };
}

/** The files of a repository that is there now and was there then. */
async function restoreInside(
	store: Store,
	{ path, before, after }: RawChange,
	folder: string,
): Promise<Result<void, WorkspaceFailure>> {
	if (before.mode !== modes.repository || after.mode !== modes.repository) return { ok: true, value: undefined };
	const tree = await innerTree(store, after.object);
	const inside = await store.inner(path);
	if (tree === undefined || !inside.ok) return unknownTree(fromRaw(path));
	return restoreFiles(inside.value, tree, folder);
}
