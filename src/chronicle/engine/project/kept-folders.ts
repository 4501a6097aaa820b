// The folders of child runs that are kept after the join (`chronicle.keepChildFolders`).
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { usedBytes } from "../../../disk/index.ts";
import type { ReadLedger } from "../../core/index.ts";

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
	const path = join(folder, "children");
	const needed = new Set(
		[run.children, run.candidates?.group].flatMap((group) => group?.children ?? []).map(({ id }) => id),
	);
	const names = (await readdir(path).catch((): string[] => [])).filter(
		(name) => !name.startsWith(".") && !needed.has(name),
	);
	if (names.length === 0) return undefined;
	const sizes = await Promise.all(names.map((name) => usedBytes(join(path, name))));
	return { path, folders: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
