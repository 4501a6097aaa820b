// Restores files to a snapshot.
// Ignored files stay, unless a restored file replaces them: then they are saved first; files that no snapshot contains (too large, secret
// by name, special, a missing repository) stay unchanged and are reported; files of nested repositories are restored and their HEAD is
// kept; only files in the caller's snapshot are overwritten or deleted.

import { lstat } from "node:fs/promises";
import { posix } from "node:path";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { type RawChange, rawChanges, relativeTo } from "./compare.ts";
import { changedMeanwhile, inTheWay, noSpace, roomIn, toResult, unlessChanged, writeFailure } from "./failures.ts";
import { setMode } from "./file-modes.ts";
import { type GitResult, isFileMode, isNothing } from "./git.ts";
import { readNested } from "./nested-repository.ts";
import { findObstacles } from "./obstacles.ts";
import { fromRaw, pathBytes } from "./paths.ts";
import { editTree } from "./private-index.ts";
import { leftList, planRestore, type RestorePlan, requireAll, roomFor, sizesOf } from "./restore-plan.ts";
import type { FileSnapshot, Store } from "./store.ts";

/** A snapshot of the files before a restore, including everything that it would overwrite. */
export interface RestorePreparation {
	readonly now: FileSnapshot;
	readonly plan: RestorePlan;
	/** Files that would be overwritten but cannot be saved; if there are any, nothing may be changed. */
	readonly blocked: readonly FileLeft[];
}

/**
 * Takes a snapshot of the files and of everything else that a restore of `tree` would overwrite. `look`: without the latter, which would become part
 * of the files.
 */
export async function prepareRestore(
	store: Store,
	tree: string,
	how: "keep" | "look" = "keep",
): Promise<RestorePreparation> {
	for (let round = 1; round < maxRounds; round += 1) {
		// A file that changed after its inspection is inspected again.
		const prepared = await unlessChanged(() => prepareOnce(store, tree, how));
		if (prepared) return prepared;
	}
	return prepareOnce(store, tree, how);
}

const maxRounds = 3;

async function prepareOnce(store: Store, tree: string, how: "keep" | "look"): Promise<RestorePreparation> {
	const first = await planNow(store, tree);
	const { plan } = first;
	await requireAll(store, plan.writes);
	const { keep, blocked: found } = await findObstacles(store, plan.writes);
	const blocked = found.length > 0 ? found : await blockedNested(store, plan, how);
	const settled = blocked.length > 0 || how === "look" || (keep.length === 0 && plan.nested.length === 0);
	if (settled) return { ...first, blocked };
	if (keep.length > 0) await store.add(keep);
	return { ...(await planNow(store, tree)), blocked };
}

async function planNow(store: Store, tree: string): Promise<{ now: FileSnapshot; plan: RestorePlan }> {
	const now = await store.snapshot();
	return { now, plan: await planRestore(store, now, tree) };
}

/** Prepares nested repositories; returns the blocking files. */
async function blockedNested(store: Store, plan: RestorePlan, how: "keep" | "look"): Promise<FileLeft[]> {
	const blocked: FileLeft[] = [];
	for (const change of plan.nested) {
		const goal = await nestedGoal(store, change);
		const prepared = goal && (await toResult(() => prepareRestore(goal.store, goal.tree, how)));
		if (!prepared?.ok) continue;
		for (const { path, why } of prepared.value.blocked) blocked.push({ path: `${fromRaw(change.path)}/${path}`, why });
	}
	return blocked;
}

async function nestedGoal(
	store: Store,
	{ path, after }: RawChange,
): Promise<{ store: Store; tree: string } | undefined> {
	const state = await readNested(store, after.object);
	const nested = await toResult(() => store.nested(path));
	return state && nested.ok ? { store: nested.value, tree: state.tree } : undefined;
}

export interface RestoreResult {
	/** The current files: the requested snapshot, except for files left unchanged. */
	readonly tree: string;
	readonly left: readonly FileLeft[];
}

interface RestoreOptions {
	/** The snapshot that the files are expected to match; if they don't, nothing is changed and the failure is `changed`. */
	readonly expected?: string | undefined;
	/** The snapshot at the start of an interrupted restore: files that are not in it are not deleted. */
	readonly before?: string | undefined;
	/** Folder for a second index. */
	readonly folder: string;
	/** Reported paths are relative to it. */
	readonly cwd: string;
}

/** Restores the files of `store` to `tree`. */
export async function restoreTree(
	store: Store,
	tree: string,
	{ expected, before, folder, cwd }: RestoreOptions,
): Promise<RestoreResult> {
	const { now, plan, blocked } = await prepareRestore(store, tree);
	if (blocked.length > 0) throw inTheWay(blocked);
	if (expected !== undefined && expected !== now.tree) throw changedMeanwhile();
	const writes = await withoutNew(store, plan.writes, before === now.tree ? undefined : before, tree);
	const goal = await goalTree(store, now.tree, writes, folder);
	if (goal !== now.tree) await writeFiles(store, now.tree, goal, writes);
	const seen = (path: string): string => relativeTo(cwd, store.root, path);
	const left = leftList(plan.left, seen);
	for (const change of plan.nested) left.push(...(await restoreNested(store, change, folder, seen(change.path))));
	return { tree: (await store.snapshot()).tree, left };
}

/**
 * `writes` without the deletion of files that `before` does not have: ignore patterns restored in the middle of a restore have made files visible
 * that it must not change.
 */
async function withoutNew(
	store: Store,
	writes: readonly RawChange[],
	before: string | undefined,
	tree: string,
): Promise<readonly RawChange[]> {
	if (before === undefined) return writes;
	const whole = await rawChanges(store, before, tree, "apart");
	const deleted = new Set(whole.filter(({ after }) => isNothing(after.object)).map(({ path }) => path));
	const makesRoom = roomFor(writes);
	return writes.filter(({ path, after }) => !isNothing(after.object) || deleted.has(path) || makesRoom(path));
}

async function writeFiles(store: Store, from: string, to: string, writes: readonly RawChange[]): Promise<void> {
	const sizes = await sizesOf(store, writes);
	// git removes a file before it writes the new one.
	if (sizes.growth > (await roomIn(store.root))) throw noSpace();
	const permissions = await permissionsOf(store, writes);
	await store.modes.save();
	store.indexChanged();
	const merged = await checkOut(store, from, to);
	for (const [path, mode] of permissions) await setMode(pathBytes(store.root, path), mode);
	const created = writes.filter(({ path, after }) => isFileMode(after.mode) && !permissions.has(path));
	await store.modes.apply(
		store.root,
		created.map(({ path }) => path),
	);
	if (merged.kind === "done") return;
	throw hasChangedSince(merged) ? changedMeanwhile() : await writeFailure(merged, store.root, sizes.largest);
}

/**
 * Changes index and files from one tree to the other. To git, a file whose inode or times changed has changed, whatever it contains (after a copy of
 * the project, or an editor that replaces files); a snapshot does not record that, so the index is refreshed before a second attempt.
 */
async function checkOut(store: Store, from: string, to: string): Promise<GitResult> {
	const command = ["read-tree", "-m", "-u", from, to];
	const merged = await store.tryGit(command);
	if (!hasChangedSince(merged)) return merged;
	await store.tryGit(["update-index", "-q", "--refresh"]);
	return store.tryGit(command);
}

function hasChangedSince(merged: GitResult): boolean {
	return merged.kind === "failed" && /not uptodate|would be overwritten/i.test(merged.message);
}

/** Permissions of overwritten files, which are also remembered: git would make them readable for everyone. */
async function permissionsOf(store: Store, writes: readonly RawChange[]): Promise<Map<string, number>> {
	const permissions = new Map<string, number>();
	for (const { path, before, after } of writes) {
		if (!isFileMode(before.mode)) continue;
		const stats = await lstat(pathBytes(store.root, path)).catch(() => undefined);
		if (!stats?.isFile()) continue;
		store.modes.note(path, stats.mode);
		if (isFileMode(after.mode)) permissions.set(path, stats.mode & 0o777);
	}
	return permissions;
}

/** The tree `from` with `writes` applied, as the target of git's merge. */
async function goalTree(store: Store, from: string, writes: readonly RawChange[], folder: string): Promise<string> {
	const edits = writes.map(({ path, after }) => ({ path, ...after }));
	return editTree(store, from, edits, folder);
}

/** Restores the files of a nested repository that exists in both snapshots; returns the files that were not restored. */
async function restoreNested(store: Store, change: RawChange, folder: string, name: string): Promise<FileLeft[]> {
	const goal = await nestedGoal(store, change);
	if (!goal) return [{ path: name, why: "a nested repository, whose snapshot no longer exists" }];
	const options = { folder, cwd: goal.store.root };
	const restored = await toResult(() => restoreTree(goal.store, goal.tree, options));
	if (!restored.ok) return [{ path: name, why: `a nested repository: ${restored.failure.message}` }];
	const [now, then] = [await readNested(store, change.before.object), await readNested(store, change.after.object)];
	const moved = now?.head !== then?.head;
	return [
		...restored.value.left.map(({ path, why }) => ({ path: posix.join(name, path), why })),
		...(moved ? [{ path: name, why: "a nested repository: its files are restored, its HEAD stays" }] : []),
	];
}
