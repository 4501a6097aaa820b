// Finds conflict markers left in files.
import { posix, relative, sep } from "node:path";
import { gitFailure, unknownTree } from "./failures.ts";
import type { Store } from "./store.ts";

/** Those of `paths` (relative to `cwd`) whose contents in `tree` have conflict markers. */
export async function findMarkers(
	store: Store,
	cwd: string,
	tree: string,
	paths: readonly string[],
): Promise<readonly string[]> {
	const below = relative(store.root, cwd).split(sep).join("/");
	const known = await store.tryGit(["cat-file", "-e", `${tree}^{tree}`]);
	// Otherwise every file would seem to be removed.
	if (known.kind === "failed") throw unknownTree(tree);
	const marked: string[] = [];
	for (const path of paths) {
		const shown = await store.tryGit(["cat-file", "blob", `${tree}:${posix.join(below, path)}`]);
		if (shown.kind === "aborted" || shown.kind === "missing") throw gitFailure(shown);
		// A removed file has no markers.
		if (shown.kind === "done" && /^<{7} /m.test(shown.output.toString("latin1"))) marked.push(path);
	}
	return marked;
}
