// The end of a run, as plain lines: how it ended and why, what it used, and commands to inspect it. Pure.

import type { Run } from "../../core/index.ts";
import { totalChanges } from "../../core/index.ts";
import { changedText, crumbText, currentMark, haltReason, marks, templateNameOf } from "../timeline/index.ts";
import { spendText } from "./question-lines.ts";

/** The lines about a finished run. `prefix`: before every command. */
export function endLines(run: Run, prefix: string): string[] {
	const why = haltReason(run);
	return [
		`${marks[currentMark(run)]} ${templateNameOf(run)} ${run.id.slice(0, 8)}: ${run.status} · ${spendText(run, run.updatedAt)}${filesText(run)}`,
		...(why === undefined ? [] : [why]),
		crumbText(run),
		...nextLines(run, prefix),
	];
}

/** The commands that show the results of a finished run. */
export function nextLines(run: Run, prefix: string): string[] {
	if (run.stage.kind !== "over") return [];
	const id = run.id.slice(0, 8);
	return [`Next: ${[`report ${id}`, `diff ${id} all`, `view ${id}`].map((words) => `${prefix}${words}`).join(" · ")}`];
}

/** ` · 3 files +10 −2`; empty if nothing has changed. */
function filesText({ snapshot: { files, dropped } }: Run): string {
	const total = totalChanges(files, dropped.files);
	return total.files === 0 ? "" : ` · ${changedText(total)}`;
}
