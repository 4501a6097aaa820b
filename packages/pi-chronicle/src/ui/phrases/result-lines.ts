// The end of a run and its result, as plain lines for the user, and as a message for the model of the user's session. Pure.

import { counted } from "@pi-chronicle/core/definition";
import { apartState, describeKept, outcomeOf, type Run, type RunOutcome } from "@pi-chronicle/core/machine";
import { changeLines } from "../../pi/index.ts";
import { crumbText, currentMark } from "./crumbs.ts";
import { marks, templateNameOf } from "./names.ts";
import { entrySection, spendText } from "./question-lines.ts";
import { haltReason, runStatusText } from "./why.ts";

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
	const take = apartState(run) === "waiting" ? ["join", "diff", "discard"] : [];
	if (take.length > 0)
		return [`Its files wait in a copy of the project: ${take.map((verb) => `${prefix}${verb} ${id}`).join(" · ")}`];
	return [`Next: ${[`report ${id}`, `diff ${id} all`, `view ${id}`].map((words) => `${prefix}${words}`).join(" · ")}`];
}

/**
 * The result of a finished run: its last summary, findings, open tasks and changed files. Nothing while the run can continue. `prefix`: before
 * commands. `listsFollow`: lists of the entries and files follow, so only the summary is given.
 */
export function resultLines(run: Run, prefix: string, listsFollow = false): string[] {
	if (run.stage.kind !== "over") return [];
	const result = outcomeOf(run);
	const kept = run.keptFolders.map(describeKept);
	if (listsFollow) return [...summaryLines(result), ...kept];
	return [
		...summaryLines(result),
		...entryLists(run, result),
		...filesOf(run, result),
		...omitted(run, result, prefix),
		...kept,
	];
}

/** Nothing where it is unknown whether files have changed. */
function filesOf({ startTree, snapshot }: Run, { files: total }: RunOutcome): string[] {
	const isKnown = startTree !== undefined || total.files > 0;
	return isKnown ? ["", ...changeLines({ changes: snapshot.files, total })] : [];
}

function summaryLines({ state, visit, summary, children }: RunOutcome): string[] {
	const title = `Result of ${state} (visit ${visit}):`;
	return [
		...(summary === "" ? [] : ["", title, ...indented(summary)]),
		...(children.length === 0 ? [] : ["", "Children:", ...children.flatMap(childLines)]),
	];
}

function childLines({ name, status, summary, detail }: RunOutcome["children"][number]): string[] {
	const text = status === "done" ? summary : detail;
	const [first = "", ...more] = text.split("\n");
	return [`  ${name} ${status}${first === "" ? "" : `: ${first}`}`, ...more.map((line) => `    ${line}`)];
}

function entryLists({ status }: Run, { state, findings, pendingTasks }: RunOutcome): string[] {
	const title = status === "done" ? `Findings of ${state}` : "Findings";
	return [...entrySection(title, findings), ...entrySection("Pending tasks", pendingTasks)];
}

function omitted({ id }: Run, { moreFindings, cut }: RunOutcome, prefix: string): string[] {
	const parts = [
		...(cut ? ["the rest of the summary"] : []),
		...(moreFindings > 0 ? [counted(moreFindings, "further finding")] : []),
	];
	return parts.length === 0 ? [] : [`Not shown: ${parts.join(", ")}. See: ${prefix}view ${id.slice(0, 8)}`];
}

function indented(text: string): string[] {
	return text
		.trim()
		.split("\n")
		.map((line) => `  ${line}`);
}

/** The message that puts the result into the conversation of the user's session. It says that it is not the user's own text, and what it leaves out. */
export function resultMessage(run: Run): string {
	const result = outcomeOf(run);
	const { snapshot, status, task, id } = run;
	const why = haltReason(run);
	return [
		`[Result of the pi-chronicle run ${templateNameOf(run)} ${id.slice(0, 8)}. The user put it into this conversation; it was written by the agents of the run, not by the user.]`,
		"",
		`Task of the run: ${task}`,
		`Status: ${runStatusText(status)}${why === undefined ? "" : `. ${why}`}`,
		...summaryLines(result),
		...entryLists(run, result),
		"",
		...changeLines({ changes: snapshot.files, total: result.files }, { max: Number.POSITIVE_INFINITY }),
		...omitted(run, result, "pi-chronicle "),
	].join("\n");
}
