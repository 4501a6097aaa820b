// Bringing files back to a kept state.
// B1 what is ignored stays, unless something comes back at its place: then it is kept first; B2 what is not kept (too large, secret by its
// name, special, a repository that is gone) stays as it is now, and is named; B3 repositories inside get their files back and keep their HEAD;
// B4 nothing is overwritten or deleted that is not in the state that the caller knows.
import { chmod, lstat, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import type { FileLeft, Result, WorkspaceFailure } from "../../core/index.ts";
import { type RawChange, rawChanges, seenFrom } from "./compare.ts";
import { changedMeanwhile, gitFailure, inTheWay, ioFailure } from "./failures.ts";
import { indexInfo, isNothing, modes } from "./git.ts";
import { readInner } from "./inner.ts";
import type { KeptState } from "./keep.ts";
import { findObstacles } from "./obstacles.ts";
import { fromRaw, placeOf } from "./paths.ts";
import { hasAll, leftList, planRestore, type RestorePlan, roomFor } from "./restore-plan.ts";
import type { Store } from "./store.ts";

/** Files as they are before they are brought to a state, with everything that would be overwritten. */
export interface Ready {
	readonly kept: KeptState;
	readonly plan: RestorePlan;
	/** What cannot be kept and lies where files would come back; then nothing may be touched. */
	readonly blocked: readonly FileLeft[];
}

/**
 * Keeps the files as they are, and whatever else lies where files of `tree` would come back. `look`: without keeping the latter, which would
 * make it a part of the files.
 */
export async function keepTowards(
	store: Store,
	tree: string,
	how: "keep" | "look" = "keep",
): Promise<Result<Ready, WorkspaceFailure>> {
	const first = await planNow(store, tree);
	if (!first.ok) return first;
	const { kept, plan } = first.value;
	const there = await hasAll(store, plan.writes, tree);
	if (!there.ok) return there;
	const found = await findObstacles(store, plan.writes);
	if (!found.ok) return found;
	const { keep, blocked } = found.value;
	if (blocked.length > 0) return { ok: true, value: { kept, plan, blocked } };
	const ways: FileLeft[] = [];
	for (const change of plan.inner) {
		const goal = await innerGoal(store, change);
		const ready = goal && (await keepTowards(goal.store, goal.tree, how));
		if (ready?.ok)
			ways.push(...ready.value.blocked.map(({ path, why }) => ({ path: `${fromRaw(change.path)}/${path}`, why })));
	}
	if (ways.length > 0) return { ok: true, value: { kept, plan, blocked: ways } };
	if (how === "look" || (keep.length === 0 && plan.inner.length === 0))
		return { ok: true, value: { kept, plan, blocked } };
	if (keep.length > 0) {
		const added = await store.add(keep);
		if (!added.ok) return added;
	}
	const second = await planNow(store, tree);
	return second.ok ? { ok: true, value: { ...second.value, blocked } } : second;
}

async function planNow(
	store: Store,
	tree: string,
): Promise<Result<{ kept: KeptState; plan: RestorePlan }, WorkspaceFailure>> {
	const kept = await store.keep();
	if (!kept.ok) return kept;
	const plan = await planRestore(store, kept.value, tree);
	return plan.ok ? { ok: true, value: { kept: kept.value, plan: plan.value } } : plan;
}

async function innerGoal(
	store: Store,
	{ path, after }: RawChange,
): Promise<{ store: Store; tree: string } | undefined> {
	const state = await readInner(store, after.object);
	const inside = await store.inner(path);
	return state && inside.ok ? { store: inside.value, tree: state.tree } : undefined;
}

/** The files after they have been brought back. */
export interface Restored {
	/** As they are now: the state that was asked for, but for what was left. */
	readonly tree: string;
	readonly left: readonly FileLeft[];
}

interface RestoreOptions {
	readonly expected?: string | undefined;
	readonly before?: string | undefined;
	readonly folder: string;
	readonly cwd: string;
}

/**
 * Brings the files of `store` to `tree`. `expected`: the state that the files are known to be in; where they are in another one, nothing is
 * changed and the failure is `changed`. `before`: what was no part of this state is not deleted. `folder` is where a second index may be made; paths are given as seen from `cwd`.
 */
export async function restoreFiles(
	store: Store,
	tree: string,
	{ expected, before, folder, cwd }: RestoreOptions,
): Promise<Result<Restored, WorkspaceFailure>> {
	const ready = await keepTowards(store, tree);
	if (!ready.ok) return ready;
	const { kept, plan, blocked } = ready.value;
	if (blocked.length > 0) return inTheWay(blocked);
	if (expected !== undefined && expected !== kept.tree) return changedMeanwhile;
	const limited = await withoutNew(store, plan.writes, before === kept.tree ? undefined : before, tree);
	if (!limited.ok) return limited;
	const writes = limited.value;
	const goal = await goalTree(store, kept.tree, writes, folder);
	if (!goal.ok) return goal;
	if (goal.value !== kept.tree) {
		const written = await writeFiles(store, kept.tree, goal.value, writes);
		if (!written.ok) return written;
	}
	const seen = (path: string): string => seenFrom(store.root, cwd, path);
	const left = leftList(plan.left, seen);
	for (const change of plan.inner) left.push(...(await restoreInner(store, change, folder, seen(change.path))));
	const now = await store.keep();
	return now.ok ? { ok: true, value: { tree: now.value.tree, left } } : now;
}

/**
 * `writes` without the deletion of what was no part of `before`: patterns that came back in the middle of a rewind have made files visible
 * that it must not touch.
 */
async function withoutNew(
	store: Store,
	writes: readonly RawChange[],
	before: string | undefined,
	tree: string,
): Promise<Result<readonly RawChange[], WorkspaceFailure>> {
	if (before === undefined) return { ok: true, value: writes };
	const whole = await rawChanges(store, before, tree, "apart");
	if (!whole.ok) return whole;
	const going = new Set(whole.value.filter(({ after }) => isNothing(after.object)).map(({ path }) => path));
	const makesRoom = roomFor(writes);
	return {
		ok: true,
		value: writes.filter(({ path, after }) => !isNothing(after.object) || going.has(path) || makesRoom(path)),
	};
}

async function writeFiles(
	store: Store,
	from: string,
	to: string,
	writes: readonly RawChange[],
): Promise<Result<void, WorkspaceFailure>> {
	const rights = await rightsOf(store, writes);
	store.indexChanged();
	const merged = await store.git(["read-tree", "-m", "-u", from, to]);
	await narrow(store, rights);
	if (merged.kind === "done") return { ok: true, value: undefined };
	const meanwhile = merged.kind === "failed" && /not uptodate|would be overwritten/i.test(merged.message);
	return meanwhile ? changedMeanwhile : gitFailure(merged);
}

/** Rights of files that are written anew at their place: git would make them readable for everybody. */
async function rightsOf(store: Store, writes: readonly RawChange[]): Promise<Map<string, number>> {
	const rights = new Map<string, number>();
	for (const { path, before, after } of writes) {
		if (isNothing(before.object) || isNothing(after.object) || after.mode === modes.link) continue;
		const stats = await lstat(placeOf(store.root, path)).catch(() => undefined);
		if (stats?.isFile()) rights.set(path, stats.mode & 0o777);
	}
	return rights;
}

/** Takes rights of reading and writing away from others again where they had none before. */
async function narrow(store: Store, rights: ReadonlyMap<string, number>): Promise<void> {
	for (const [path, before] of rights) {
		const place = placeOf(store.root, path);
		const stats = await lstat(place).catch(() => undefined);
		if (!stats?.isFile()) continue;
		const now = stats.mode & 0o777;
		const narrower = now & (before | 0o111 | 0o600);
		if (narrower !== now) await chmod(place, narrower).catch(() => {});
	}
}

/** `from` with `writes` made: git cannot bring back the rest. */
async function goalTree(
	store: Store,
	from: string,
	writes: readonly RawChange[],
	folder: string,
): Promise<Result<string, WorkspaceFailure>> {
	if (writes.length === 0) return { ok: true, value: from };
	const index = join(folder, "index.goal");
	// What goes, goes first: a file may come back where a folder was.
	const entries = [...writes]
		.sort((a, b) => Number(isNothing(b.after.object)) - Number(isNothing(a.after.object)))
		.map(({ path, after }) => ({ path, ...after }));
	try {
		const read = await store.git(["read-tree", from], { index });
		if (read.kind !== "done") return gitFailure(read);
		const set = await store.git(["update-index", "-z", "--add", "--replace", "--index-info"], {
			index,
			input: indexInfo(entries),
		});
		if (set.kind !== "done") return gitFailure(set);
		const written = await store.git(["write-tree"], { index });
		return written.kind === "done"
			? { ok: true, value: written.output.toString("latin1").trim() }
			: gitFailure(written);
	} catch (error) {
		return ioFailure(error);
	} finally {
		await rm(index, { force: true });
	}
}

/** Brings the files of a repository back that is there now and was there then; what of it is not back. */
async function restoreInner(store: Store, change: RawChange, folder: string, name: string): Promise<FileLeft[]> {
	const goal = await innerGoal(store, change);
	if (!goal) return [{ path: name, why: "a repository of its own, whose state is not there any more" }];
	const back = await restoreFiles(goal.store, goal.tree, { folder, cwd: goal.store.root });
	if (!back.ok) return [{ path: name, why: `a repository of its own: ${back.failure.message}` }];
	const [now, then] = [await readInner(store, change.before.object), await readInner(store, change.after.object)];
	const moved = now?.head !== then?.head;
	return [
		...back.value.left.map(({ path, why }) => ({ path: posix.join(name, path), why })),
		...(moved ? [{ path: name, why: "a repository of its own: its files are back, its HEAD stays" }] : []),
	];
}
