// What bringing files back to a kept state comes to: which files are written and deleted, which are left as they are and why, which
// repositories inside are brought back on their own. Nothing is changed here.
// L1 what cannot be compared is never written over and never deleted; L2 nothing that is left loses its place to what comes back.
import type { FileLeft, Result, WorkspaceFailure } from "../../core/index.ts";
import { type RawChange, rawChanges, unknownTree } from "./compare.ts";
import { isNothing, modes } from "./git.ts";
import { ignoredBy } from "./ignored.ts";
import type { KeptState } from "./keep.ts";
import { foldersAbove, fromRaw } from "./paths.ts";
import type { Store } from "./store.ts";

export interface RestorePlan {
	/** To be written or deleted. */
	readonly writes: readonly RawChange[];
	/** Repositories that are there now and were there then. */
	readonly inner: readonly RawChange[];
	/** By path (bytes as latin1): why it is left as it is. */
	readonly left: ReadonlyMap<string, string>;
}

/** Plans the way from `kept`, the files as they are now, to `tree`. */
export async function planRestore(
	store: Store,
	kept: KeptState,
	tree: string,
): Promise<Result<RestorePlan, WorkspaceFailure>> {
	const between = await rawChanges(store, kept.tree, tree, "apart");
	if (!between.ok) return between;
	// Of what could not be kept nothing is known, whatever the state says of it.
	const left = new Map(kept.unkept);
	const inner: RawChange[] = [];
	const plain: RawChange[] = [];
	for (const change of between.value) {
		const why = kept.unkept.get(change.path) ?? whyLeft(store, change);
		if (change.before.mode === modes.repository && change.after.mode === modes.repository) inner.push(change);
		else if (why === undefined) plain.push(change);
		else left.set(change.path, why);
	}
	const ignored = await ignoredThen(store, tree, between.value, plain);
	if (!ignored.ok) return ignored;
	const staying = new Map([...kept.unkept, ...left, ...inner.map(({ path }) => [path, repository] as const)]);
	const conflicts = openConflicts(staying);
	const writes: RawChange[] = [];
	for (const change of plain) {
		// It is no part of that state, and may have been there all the same.
		if (ignored.value.has(change.path)) continue;
		const why = conflicts.with(change);
		if (why === undefined) writes.push(change);
		else left.set(change.path, why);
	}
	return { ok: true, value: { writes, inner, left } };
}

/** Files that would be deleted and that the state ignores by its own patterns, unless something comes back at their place. */
async function ignoredThen(
	store: Store,
	tree: string,
	between: readonly RawChange[],
	plain: readonly RawChange[],
): Promise<Result<ReadonlySet<string>, WorkspaceFailure>> {
	const patternsDiffer = between.some(({ path }) => path === ".gitignore" || path.endsWith("/.gitignore"));
	if (!patternsDiffer) return { ok: true, value: new Set() };
	const makesRoom = roomFor(plain);
	const going = plain.filter(({ path, after }) => isNothing(after.object) && !makesRoom(path)).map(({ path }) => path);
	return ignoredBy(store, tree, going);
}

/** Tells whether a path has to go because one of `writes` comes back at, below or above it. */
export function roomFor(writes: readonly RawChange[]): (path: string) => boolean {
	const coming = writes.filter(({ after }) => !isNothing(after.object)).map(({ path }) => path);
	const come = new Set(coming);
	const places = new Set([...coming, ...coming.flatMap(foldersAbove)]);
	return (path) => places.has(path) || foldersAbove(path).some((folder) => come.has(folder));
}

const repository = "a repository of its own";

function whyLeft(store: Store, { before, after }: RawChange): string | undefined {
	const now = store.markOf(before.object);
	const then = store.markOf(after.object);
	if (now === "secret" || then === "secret") return "secret by its name, so its contents are not kept";
	const size = `over ${Math.round(store.limits.fileBytes / 1e5) / 10} MB`;
	if (then === "large") return `${size} then, so its contents were not kept`;
	if (now === "large") return `${size}, so its contents are not kept`;
	if (before.mode === modes.repository)
		return isNothing(after.object) ? `${repository}, made since` : `${repository} now, and none then`;
	if (after.mode === modes.repository)
		return isNothing(before.object) ? `${repository}, which is gone` : `${repository} then, and none now`;
	return undefined;
}

/** Finds changes at, below or above a place that stays as it is. */
function openConflicts(staying: ReadonlyMap<string, string>): { with(change: RawChange): string | undefined } {
	/** What stays below a folder, by the folder. */
	const under = new Map<string, string>();
	for (const [path, why] of staying)
		for (const folder of foldersAbove(path)) under.set(folder, `${fromRaw(path)}: ${why}`);
	return {
		with({ path, after }) {
			const own = staying.get(path);
			if (own !== undefined) return own;
			for (const folder of foldersAbove(path)) {
				const above = staying.get(folder);
				if (above !== undefined) return `in ${fromRaw(folder)}: ${above}`;
			}
			const below = under.get(path);
			return below === undefined || isNothing(after.object) ? undefined : `there is ${below}`;
		},
	};
}

/** Places as people read them, sorted, those of a folder that is named itself left out. */
export function leftList(left: ReadonlyMap<string, string>, seen: (path: string) => string): FileLeft[] {
	return [...left]
		.filter(([path]) => !foldersAbove(path).some((folder) => left.has(folder)))
		.map(([path, why]) => ({ path: seen(path), why }))
		.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Whether every content that has to come back is there: half of the files would be worse than none. */
export async function hasAll(
	store: Store,
	writes: readonly RawChange[],
	tree: string,
): Promise<Result<void, WorkspaceFailure>> {
	const objects = writes.map(({ after }) => after.object).filter((object) => !isNothing(object));
	if (objects.length === 0) return { ok: true, value: undefined };
	const checked = await store.git(["cat-file", "--batch-check=%(objecttype)"], {
		input: Buffer.from(`${objects.join("\n")}\n`),
	});
	if (checked.kind !== "done" || checked.output.toString("latin1").includes("missing")) return unknownTree(tree);
	return { ok: true, value: undefined };
}
