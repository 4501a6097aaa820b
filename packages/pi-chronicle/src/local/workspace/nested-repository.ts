// A repository inside the run's folder: one entry, whose object names its HEAD and the snapshot of its files in a separate store.

import { join } from "node:path";
import { writeBlob } from "./blobs.ts";
import { ioFailure } from "./failures.ts";
import { modes, runGit, type TreeEntry } from "./git.ts";
import { fromRaw } from "./paths.ts";
import type { Store } from "./store.ts";

const firstLine = "pi-chronicle: repository\n";

/** The state of a nested repository that an entry records. */
export interface NestedState {
	/** Commit of its HEAD; `none` without a commit. */
	readonly head: string;
	readonly tree: string;
}

/** Takes a snapshot of the repository at `path` and returns its entry. */
export async function snapshotNested(
	store: Pick<Store, "root" | "control" | "git" | "nested">,
	path: string,
): Promise<TreeEntry> {
	const nested = await store.nested(path);
	const taken = await nested.snapshot();
	const [unkept] = taken.unkept;
	if (unkept) throw ioFailure(`${fromRaw(unkept[0])} in it ${unkept[1]}`, "Check its permissions.");
	const head = await runGit({
		args: ["rev-parse", "HEAD"],
		cwd: join(store.root, fromRaw(path)),
		signal: store.control.signal,
	});
	const at = head.kind === "done" ? head.output.toString("latin1").trim() : "none";
	const text = `${firstLine}head ${at}\ntree ${taken.tree}\n`;
	return { path, mode: modes.repository, object: await writeBlob(store, Buffer.from(text)) };
}

/** The state recorded by `object`; `undefined` if it is missing, or not such an entry. */
export async function readNested(store: Store, object: string): Promise<NestedState | undefined> {
	const read = await store.tryGit(["cat-file", "blob", object]);
	return read.kind === "done" ? parseNested(read.output) : undefined;
}

/** The state that a content records; `undefined`: it is that of no such entry. */
export function parseNested(content: Buffer): NestedState | undefined {
	const text = content.toString("latin1");
	const tree = /^tree ([0-9a-f]+)$/m.exec(text)?.[1];
	if (!text.startsWith(firstLine) || tree === undefined) return undefined;
	return { tree, head: /^head (\w+)$/m.exec(text)?.[1] ?? "none" };
}
