// The text of conflicted files: markers with readable names, and the conflicting lines for display.
import type { SideNames } from "../../core/index.ts";
import type { MergeOutput } from "./merge-output.ts";

/** Context lines around a conflict. */
const context = 3;

/** `text` (bytes as latin1) with the names of the sides in git's conflict markers instead of commits. */
export function labelMarkers(text: string, commits: MergeOutput["commits"], names: SideNames): string {
	const label = (name: string): string => Buffer.from(name.replace(/\p{Cc}+/gu, " "), "utf8").toString("latin1");
	const known: readonly (readonly [string, string])[] = [
		[commits.ours, label(names.ours)],
		[commits.theirs, label(names.theirs)],
		[commits.base, "base"],
	];
	return text.replace(
		/^(<{7}|\|{7}|>{7}) ([0-9a-f]{7,64})(?=[:\r\n]|$)/gm,
		(line: string, mark: string, commit: string) => {
			const name = known.find(([full]) => full.startsWith(commit))?.[1];
			return name === undefined ? line : `${mark} ${name}`;
		},
	);
}

/** The conflicts in `text` with some lines around each, at most `bytes` bytes; empty if there are none. */
export function conflictHunks(text: string, bytes: number): string {
	const lines = text.split("\n");
	const shown = new Set<number>();
	let start = -1;
	for (const [at, line] of lines.entries()) {
		if (line.startsWith("<<<<<<< ")) start = at;
		if (!line.startsWith(">>>>>>> ") || start < 0) continue;
		for (let one = Math.max(0, start - context); one <= Math.min(lines.length - 1, at + context); one += 1)
			shown.add(one);
		start = -1;
	}
	let drawn = "";
	let last = -2;
	for (const at of [...shown].sort((a, b) => a - b)) {
		if (at !== last + 1) drawn += `@@ line ${at + 1} @@\n`;
		drawn += `${lines[at]}\n`;
		last = at;
		if (Buffer.byteLength(drawn) > bytes) break;
	}
	return Buffer.from(drawn, "utf8")
		.subarray(0, bytes)
		.toString("utf8")
		.replace(/\ufffd+$/, "");
}
