// Copies contents from the user's repository into the store: a cleanup there (`git gc`, an amended commit that expires, a deleted clone)
// would remove them from a snapshot.
// Objects are copied in compressed form; only differences from the previous snapshot are considered; objects that are too large to copy,
// or already missing, stay only in the repository: the snapshot is still taken.
import { join } from "node:path";
import { gitFailure, isDiskFull } from "./failures.ts";
import { isNothing, modes } from "./git.ts";
import type { Store } from "./store.ts";

/** How git ends its line about an object that it does not have. */
const missing = " missing";

export interface ImportOptions {
	/** The store's folder. */
	readonly folder: string;
	/** Maximum compressed bytes to copy for one snapshot. */
	readonly maxBytes: number;
}

/**
 * Copies the objects of snapshot `tree` that are only in the user's repository; `before` is the previous snapshot, whose objects are already in the
 * store. Fails only if the disk is full.
 */
export async function importObjects(
	store: Pick<Store, "tryGit">,
	tree: string,
	before: string | undefined,
	{ folder, maxBytes }: ImportOptions,
): Promise<void> {
	const foreign = await missingObjects(store, await objectsOf(store, tree, before));
	const found = (await describeObjects(store, foreign, "%(objectname) %(objectsize:disk)", "everywhere"))
		.filter((line) => !line.endsWith(missing))
		.map((line) => line.split(" "));
	const bytes = found.reduce((sum, [, size]) => sum + Number(size), 0);
	if (found.length === 0 || bytes > maxBytes) return;
	const packed = await store.tryGit(
		["-c", "pack.compression=1", "pack-objects", "-q", "--window=0", join(folder, "objects", "pack", "pack")],
		{ input: lines(found.map(([name = ""]) => name)) },
	);
	if (packed.kind === "failed" && isDiskFull(packed.message)) throw gitFailure(packed);
}

/** Git looks for new packs at each missing object: of more objects than this, it lists those that it has instead. */
const manyObjects = 200;

/** Those of `objects` that the store does not have. */
async function missingObjects(store: Pick<Store, "tryGit">, objects: readonly string[]): Promise<readonly string[]> {
	if (objects.length <= manyObjects)
		return (await describeObjects(store, objects, "%(objectname)", "own"))
			.filter((line) => line.endsWith(missing))
			.map((line) => line.slice(0, -missing.length));
	const args = ["cat-file", "--batch-check=%(objectname)", "--batch-all-objects", "--unordered"];
	const listed = await store.tryGit(args, { where: "own" });
	if (listed.kind !== "done") return [];
	const own = new Set(listed.output.toString("latin1").split("\n"));
	return objects.filter((object) => !own.has(object));
}

/** A line about each of `objects`; none if git fails. */
export async function describeObjects(
	store: Pick<Store, "tryGit">,
	objects: readonly string[],
	format: string,
	where: "everywhere" | "own",
): Promise<string[]> {
	if (objects.length === 0) return [];
	const checked = await store.tryGit(["cat-file", `--batch-check=${format}`], { input: lines(objects), where });
	return checked.kind === "done" ? checked.output.toString("latin1").split("\n").filter(Boolean) : [];
}

/** Every blob and tree that is in `tree` but not in `before`, without nested repositories. */
async function objectsOf(store: Pick<Store, "tryGit">, tree: string, before: string | undefined): Promise<string[]> {
	const listed =
		before === undefined
			? await store.tryGit(["ls-tree", "-r", "-t", "-z", tree])
			: await store.tryGit(["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", "--abbrev=64", before, tree]);
	if (listed.kind !== "done") return [];
	const objects = new Set([tree]);
	for (const field of listed.output.toString("latin1").split("\0")) {
		// `mode kind object TAB path`, or `:mode mode object object status`.
		const [, mode, object] =
			/^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) /.exec(field) ?? /^(\d+) [a-z]+ ([0-9a-f]+)\t/.exec(field) ?? [];
		if (object !== undefined && mode !== modes.repository && !isNothing(object)) objects.add(object);
	}
	return [...objects];
}

function lines(names: readonly string[]): Buffer {
	return Buffer.from(names.map((name) => `${name}\n`).join(""));
}
