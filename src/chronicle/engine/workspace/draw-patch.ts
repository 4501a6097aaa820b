// The difference of two snapshots as a patch in git's format.

import { posix } from "node:path";
import { rawChanges } from "./compare.ts";
import { gitFailure } from "./failures.ts";
import { type NestedState, readNested } from "./nested-repository.ts";
import { fromRaw } from "./paths.ts";
import type { Store } from "./store.ts";

/** The patch from one tree to another, at most `bytes` bytes, of all files or of `path` (relative to the run's folder). */
export async function drawPatch(
	store: Store,
	from: string,
	to: string,
	bytes: number,
	path: string | undefined,
): Promise<string> {
	const below = fromRaw(store.repository.below);
	const only = path === undefined ? store.below() : ["--", `:(top,literal)${posix.join(below, path)}`];
	const drawn = await store.tryGit(
		["diff-tree", "-r", "-p", "-M", "-l2000", "--no-color", "--no-ext-diff", "--no-textconv", from, to, ...only],
		{ enough: bytes },
	);
	if (drawn.kind !== "done") {
		// Throws `unknown_tree` if that is the reason.
		await rawChanges(store, from, to, "apart");
		throw gitFailure(drawn);
	}
	const text = await nameCommits(store, drawn.output.subarray(0, bytes).toString("utf8"));
	// The cut may split a character.
	return Buffer.from(text)
		.subarray(0, bytes)
		.toString("utf8")
		.replace(/\ufffd+$/, "");
}

/** A patch with the commits of nested repositories in place of the objects that stand for them: like git, `-dirty` with changed files. */
async function nameCommits(store: Store, patch: string): Promise<string> {
	const objects = [...patch.matchAll(/^[-+]Subproject commit ([0-9a-f]{40,64})$/gm)].map(([, object = ""]) => object);
	const states = new Map<string, NestedState | undefined>();
	for (const object of new Set(objects)) states.set(object, await readNested(store, object));
	let before: string | undefined;
	return patch.replace(/^([-+])Subproject commit ([0-9a-f]{40,64})$/gm, (line, sign: string, object: string) => {
		const head = states.get(object)?.head;
		if (head === undefined) return line;
		const dirty = sign === "+" && head === before ? "-dirty" : "";
		before = sign === "-" ? head : undefined;
		return `${sign}Subproject commit ${head}${dirty}`;
	});
}
