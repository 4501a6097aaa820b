// Writes drafts into a project.
// Nothing that exists is replaced unless the user forces it; nothing is written outside the project, whatever links are in it; a draft is
// written whole or not at all.
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "@pi-chronicle/core/definition";
import { writeTogether } from "../../disk/index.ts";
import type { ImportDraft } from "./draft.ts";

/** Why a draft cannot be written to the folder `root`, as a sentence; `undefined` if it can. */
export function writeRefusal(root: string, draft: ImportDraft, force: boolean): string | undefined {
	for (const { path, text } of draft.files) {
		const file = join(root, ...path.split("/"));
		const parent = existingParent(file);
		if (parent !== realpathSync(root) && !isInside(realpathSync(root), parent))
			return `${path} would be outside the project, because of a link.`;
		const stats = lstatSync(file, { throwIfNoEntry: false });
		if (stats && !stats.isFile()) return `${path} already exists and is not a file.`;
		if (stats && !force && !holds(file, text)) return `${path} already exists; --force replaces it.`;
	}
	return undefined;
}

/** Whether a file has exactly this text: then nothing has to be written. */
function holds(file: string, text: string): boolean {
	return readFileSync(file).equals(Buffer.from(text));
}

/** The real path of the nearest folder above `file` that exists. */
function existingParent(file: string): string {
	let at = dirname(file);
	while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
	return realpathSync(at);
}

/** Writes a draft that can be written. Throws what the disk throws; then nothing of it is written. */
export function writeDraft(root: string, { files }: ImportDraft): void {
	const changed = files
		.map(({ path, text }) => ({ path: join(root, ...path.split("/")), content: text }))
		.filter(({ path, content }) => !existsSync(path) || !holds(path, content));
	writeTogether(changed, "replace");
}
