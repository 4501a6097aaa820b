// Runs to be removed, and removed runs, as plain lines. Pure.
import type { Removable, Removed, RunEntry } from "../../engine/index.ts";
import { shortTime } from "../timeline/index.ts";

/** The runs to be removed: `1a2b3c4d  done · 3d ago · feature: Add a login`. */
export function removalLines({ runs, staying }: Removable, now: number): string[] {
	return [
		...runs.map((entry) => `${isChild(entry) ? "    " : "  "}${entryWords(entry, now)}`),
		...stayingLines(staying),
	];
}

function isChild(entry: RunEntry): boolean {
	return entry.kind === "run" && entry.summary.parent !== undefined;
}

function entryWords(entry: RunEntry, now: number): string {
	const id = entry.id.slice(0, 8);
	if (entry.kind === "unreadable") return `${id}  cannot be read`;
	const { status, updatedAt, template, task } = entry.summary;
	const [line = ""] = task.split("\n");
	return `${id}  ${status.replaceAll("_", " ")} · ${shortTime(now - Date.parse(updatedAt))} ago · ${template}: ${line.slice(0, 60)}`;
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
			: `${id.slice(0, 8)} removed (${(bytes / 1e6).toFixed(1)} MB).`,
	);
}
