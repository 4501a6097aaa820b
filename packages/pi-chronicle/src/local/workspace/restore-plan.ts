// Plans a restore: files to write and delete, files that stay with the reason, nested repositories to restore separately. Changes nothing.
// Files that cannot be compared are never overwritten or deleted; a file that stays is never replaced by a restored one.

import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { type RawChange, rawChanges } from "./compare.ts";
import { unknownTree } from "./failures.ts";
import { isNothing, modes } from "./git.ts";
import { ignoredBy } from "./ignored.ts";
import { describeObjects } from "./import-objects.ts";
import { byPath, foldersAbove, fromRaw } from "./paths.ts";
import type { FileSnapshot, Store } from "./store.ts";

export interface RestorePlan {
	/** To be written or deleted. */
	readonly writes: readonly RawChange[];
	/** Nested repositories that exist now and in the snapshot. */
	readonly nested: readonly RawChange[];
	/** By path (bytes as latin1): why it stays unchanged. */
	readonly left: ReadonlyMap<string, string>;
}

/** Plans the restore to `tree` from `now`, a snapshot of the current files. */
export async function planRestore(store: Store, now: FileSnapshot, tree: string): Promise<RestorePlan> {
	const changes = await rawChanges(store, now.tree, tree, "apart");
	// A path that could not be saved is unknown, regardless of the snapshot's contents.
	const left = new Map(now.unkept);
	const nested: RawChange[] = [];
	const plain: RawChange[] = [];
	for (const change of changes) {
		const why = now.unkept.get(change.path) ?? reasonLeft(store, change);
		if (change.before.mode === modes.repository && change.after.mode === modes.repository) nested.push(change);
		else if (why === undefined) plain.push(change);
		else left.set(change.path, why);
	}
	const ignored = await ignoredThen(store, tree, changes, plain);
	const conflictWith = openConflicts(new Map([...left, ...nested.map(({ path }) => [path, repository] as const)]));
	const writes: RawChange[] = [];
	// A file that the snapshot ignored is not part of it, but may have existed then.
	for (const change of plain.filter(({ path }) => !ignored.has(path))) {
		const why = conflictWith(change);
		if (why === undefined) writes.push(change);
		else left.set(change.path, why);
	}
	return { writes, nested, left };
}

/** Files to be deleted that the snapshot ignores by its own patterns, unless something is restored in their place. */
async function ignoredThen(
	store: Store,
	tree: string,
	changes: readonly RawChange[],
	plain: readonly RawChange[],
): Promise<ReadonlySet<string>> {
	const patternsDiffer = changes.some(({ path }) => path === ".gitignore" || path.endsWith("/.gitignore"));
	if (!patternsDiffer) return new Set();
	const makesRoom = roomFor(plain);
	const deleted = plain
		.filter(({ path, after }) => isNothing(after.object) && !makesRoom(path))
		.map(({ path }) => path);
	return ignoredBy(store, tree, deleted);
}

/** Whether a path must be deleted because one of `writes` is restored at, below or above it. */
export function roomFor(writes: readonly RawChange[]): (path: string) => boolean {
	const restored = writes.filter(({ after }) => !isNothing(after.object)).map(({ path }) => path);
	const places = new Set(restored);
	const around = new Set([...restored, ...restored.flatMap(foldersAbove)]);
	return (path) => around.has(path) || foldersAbove(path).some((folder) => places.has(folder));
}

const repository = "a nested repository";

function reasonLeft(store: Store, { before, after }: RawChange): string | undefined {
	const now = store.placeholderOf(before.object);
	const then = store.placeholderOf(after.object);
	if (now === "secret" || then === "secret") return "secret by its name, so its contents are not kept";
	const size = `over ${Math.round(store.limits.fileBytes / 1e5) / 10} MB`;
	if (then === "large") return `${size} then, so its contents were not kept`;
	if (now === "large") return `${size}, so its contents are not kept`;
	if (before.mode === modes.repository)
		return isNothing(after.object) ? `${repository}, made since` : `${repository} now, and none then`;
	if (after.mode === modes.repository)
		return isNothing(before.object) ? `${repository}, which is missing` : `${repository} then, and none now`;
	return undefined;
}

/** Why a change at, below or above a path that stays unchanged is impossible. */
function openConflicts(staying: ReadonlyMap<string, string>): (change: RawChange) => string | undefined {
	/** Paths that stay below a folder, by folder. */
	const under = new Map<string, string>();
	for (const [path, why] of staying)
		for (const folder of foldersAbove(path)) under.set(folder, `${fromRaw(path)}: ${why}`);
	return ({ path, after }) => {
		const own = staying.get(path);
		if (own !== undefined) return own;
		for (const folder of foldersAbove(path)) {
			const above = staying.get(folder);
			if (above !== undefined) return `in ${fromRaw(folder)}: ${above}`;
		}
		const below = under.get(path);
		return below === undefined || isNothing(after.object) ? undefined : `there is ${below}`;
	};
}

/** Paths for display, sorted, without those in a listed folder. */
export function leftList(left: ReadonlyMap<string, string>, seen: (path: string) => string): FileLeft[] {
	return [...left]
		.filter(([path]) => !foldersAbove(path).some((folder) => left.has(folder)))
		.map(([path, why]) => ({ path: seen(path), why }))
		.sort(byPath);
}

/** Fails if contents to restore are missing: restoring only some files would be worse than none. */
export async function requireAll(store: Store, writes: readonly RawChange[]): Promise<void> {
	const objects = writes.map(({ after }) => after.object).filter((object) => !isNothing(object));
	if (objects.length === 0) return;
	const found = await describeObjects(store, objects, "%(objecttype)", "everywhere");
	if (found.length < objects.length || found.some((line) => line.endsWith("missing"))) throw unknownTree();
}

/** Maximum growth of the files in bytes during `writes`, and the size of the largest written file. */
export async function sizesOf(
	store: Store,
	writes: readonly RawChange[],
): Promise<{ readonly growth: number; readonly largest: number }> {
	const objects = [...new Set(writes.flatMap(({ before, after }) => [before.object, after.object]))];
	const checked = await store.git(["cat-file", "--batch-check=%(objectname) %(objectsize)"], {
		input: Buffer.from(`${objects.filter((object) => !isNothing(object)).join("\n")}\n`),
	});
	const lines = checked.output.toString("latin1").split("\n");
	const sizes = new Map(lines.map((line): [string, number] => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
	// The size of a missing object is not a number.
	const sizeOf = ({ object }: RawChange["before"]): number => sizes.get(object) || 0;
	const growth = writes.reduce((sum, { before, after }) => sum + sizeOf(after) - sizeOf(before), 0);
	const largest = writes.reduce((most, { after }) => Math.max(most, sizeOf(after)), 0);
	return { growth, largest };
}
