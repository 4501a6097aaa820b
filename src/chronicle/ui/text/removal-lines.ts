// Runs to be removed, and removed runs, as plain lines. Pure.

import { counted } from "../../../definition/index.ts";
import type { KeptFolders, Removable, Removed, RunEntry } from "../../engine/index.ts";
import { runStatusText, shortTime } from "../timeline/index.ts";

/** The runs to be removed: `1a2b3c4d  done · 3d ago · 12.3 MB · feature: Add a login`. `sizes`: bytes of runs by id. */
export function removalLines({ runs, staying }: Removable, now: number, sizes?: ReadonlyMap<string, number>): string[] {
	return [
		...runs.map((entry) => `${isChild(entry) ? "    " : "  "}${entryText(entry, now, sizes?.get(entry.id))}`),
		...stayingLines(staying),
	];
}

function isChild(entry: RunEntry): boolean {
	return entry.kind === "run" && entry.summary.parent !== undefined;
}

function entryText(entry: RunEntry, now: number, bytes = 0): string {
	const id = entry.id.slice(0, 8);
	const size = bytes === 0 ? "" : ` · ${megabytes(bytes)}`;
	if (entry.kind === "unreadable") return `${id}  cannot be read${size}`;
	const { status, updatedAt, template, task } = entry.summary;
	const [line = ""] = task.split("\n");
	return `${id}  ${runStatusText(status)} · ${shortTime(now - Date.parse(updatedAt))} ago${size} · ${template}: ${line.slice(0, 60)}`;
}

/** Kept runs, with the reason. */
function stayingLines(staying: Removable["staying"]): string[] {
	return staying.map(({ id, why }) => `  ${id.slice(0, 8)}  kept: it ${why}`);
}

/** The removed runs. */
export function removedLines(removed: readonly Removed[]): string[] {
	if (removed.length === 0) return ["Nothing to remove."];
	return removed.map(({ id, bytes, failure }) =>
		failure
			? `${id.slice(0, 8)} could not be removed: ${failure.message} ${failure.remedy}`
			: `${id.slice(0, 8)} removed (${megabytes(bytes)}).`,
	);
}

/** Folders of children that are kept, and what they use. */
export function keptFolderLines(kept: KeptFolders | undefined): string[] {
	if (!kept) return [];
	const { path, folders, bytes } = kept;
	return [`Kept: ${counted(folders, "folder")} of children, ${megabytes(bytes)}, in ${path}`];
}

function megabytes(bytes: number): string {
	return `${(bytes / 1e6).toFixed(1)} MB`;
}
