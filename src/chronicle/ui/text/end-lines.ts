// The end of a run, as plain lines: how it ended and why, what it used, and commands to inspect it. Pure.

import { counted } from "../../../definition/index.ts";
import type { Run } from "../../core/index.ts";
import { crumbText, currentMark, haltReason, marks, templateNameOf } from "../timeline/index.ts";
import { spendText } from "./question-lines.ts";
import { resultLines } from "./result-lines.ts";

/** The lines about a finished run. `prefix`: before every command. */
export function endLines(run: Run, prefix: string): string[] {
	const why = haltReason(run);
	return [
		`${marks[currentMark(run)]} ${templateNameOf(run)} ${run.id.slice(0, 8)}: ${run.status} · ${spendText(run, run.updatedAt)}`,
		...(why === undefined ? [] : [why]),
		...refusedLines(run, prefix),
		crumbText(run),
		...resultLines(run, prefix),
		...nextLines(run, prefix),
	];
}

/** Says that nothing came of a run whose calls were refused. */
function refusedLines({ id, totals, snapshot, status }: Run, prefix: string): string[] {
	const { refused = 0 } = totals;
	if (refused === 0 || status !== "done" || snapshot.files.length > 0) return [];
	const command = `${prefix}report ${id.slice(0, 8)}`;
	return [`No file has changed; ${counted(refused, "refused call")}, listed by: ${command}`];
}

/** The commands that show the results of a finished run. */
export function nextLines(run: Run, prefix: string): string[] {
	if (run.stage.kind !== "over") return [];
	const id = run.id.slice(0, 8);
	return [`Next: ${[`report ${id}`, `diff ${id} all`, `view ${id}`].map((words) => `${prefix}${words}`).join(" · ")}`];
}
