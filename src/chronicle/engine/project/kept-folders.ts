// The folders of child runs that are kept after the join (`chronicle.keepChildFolders`).
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { usedBytes } from "../../../disk/index.ts";
import type { ReadLedger } from "../../core/index.ts";
import { childFolderName, childrenFolders } from "../workspace/index.ts";

export interface KeptFolders {
	/** The folder with all of them, absolute. */
	readonly path: string;
	readonly folders: number;
	readonly bytes: number;
}

/** The folders of children that the run does not need any more; `undefined` if there are none. */
export async function keptFolders({
	folder,
	run,
}: Pick<ReadLedger, "folder" | "run">): Promise<KeptFolders | undefined> {
	const needed = new Set(
		[run.children, run.candidates?.group]
			.flatMap((group) => group?.children ?? [])
			.flatMap(({ id }) => [id, childFolderName(id)]),
	);
	for (const path of childrenFolders(folder)) {
		const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
		const kept = entries.filter(
			(entry) => entry.isDirectory() && !entry.name.startsWith(".") && !needed.has(entry.name),
		);
		if (kept.length === 0) continue;
		const sizes = await Promise.all(kept.map(({ name }) => usedBytes(join(path, name))));
		return { path, folders: kept.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
	}
	return undefined;
}
