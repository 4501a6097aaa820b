// Making kept states our own: contents that the person's repository has are copied into the store, or a clean-up there (`git gc`, an amended
// commit that expires, a deleted clone) would take them from under a kept state.
// O1 what is copied stays compressed as it is; O2 a state is looked at only where it differs from the one before; O3 what is too much to be
// copied, or is gone already, stays borrowed: that is no reason not to keep the state.
import { join } from "node:path";
import type { Result, WorkspaceFailure } from "../../core/index.ts";
import { gitFailure, isFull } from "./failures.ts";
import { isNothing, modes } from "./git.ts";
import type { Store } from "./store.ts";

export interface Owner {
	/** Copies what `tree` still borrows. Fails only where the disk is full. */
	own(tree: string): Promise<Result<void, WorkspaceFailure>>;
}

const done: Result<void, WorkspaceFailure> = { ok: true, value: undefined };

/** `folder` is the store's; at most `mostBytes` bytes (on disk) are copied for one state. */
export function openOwner(store: Store, folder: string, mostBytes: number): Owner {
	let last: string | undefined;

	const ask = async (objects: readonly string[], format: string, where: "everywhere" | "own"): Promise<string[]> => {
		if (objects.length === 0) return [];
		const checked = await store.git(["cat-file", `--batch-check=${format}`], { input: lines(objects), where });
		return checked.kind === "done" ? checked.output.toString("latin1").split("\n").filter(Boolean) : [];
	};

	return {
		async own(tree) {
			const objects = await objectsOf(store, tree, last);
			const borrowed = (await ask(objects, "%(objectname)", "own"))
				.filter((line) => line.endsWith(" missing"))
				.map((line) => line.slice(0, -" missing".length));
			const there = (await ask(borrowed, "%(objectname) %(objectsize:disk)", "everywhere"))
				.filter((line) => !line.endsWith(" missing"))
				.map((line) => line.split(" "));
			const bytes = there.reduce((sum, [, size]) => sum + Number(size), 0);
			if (there.length > 0 && bytes <= mostBytes) {
				const packed = await store.git(
					["-c", "pack.compression=1", "pack-objects", "-q", "--window=0", join(folder, "objects", "pack", "pack")],
					{ input: lines(there.map(([name = ""]) => name)) },
				);
				if (packed.kind === "failed" && isFull(packed.message)) return gitFailure(packed);
			}
			last = tree;
			return done;
		},
	};
}

/** Every content and folder that is in `tree` and not in `before`, repositories inside left out. */
async function objectsOf(store: Store, tree: string, before: string | undefined): Promise<string[]> {
	const listed =
		before === undefined
			? await store.git(["ls-tree", "-r", "-t", "-z", tree])
			: await store.git(["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", "--abbrev=64", before, tree]);
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
