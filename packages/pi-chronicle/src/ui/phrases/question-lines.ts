// Questions to the user as text: the question, the worker's summary, what is planned and known, the changes, the cost. Pure.

import { counted, pathOnLine, truncate } from "@pi-chronicle/core/definition";
import {
	type ApprovalQuestion,
	type ChildRun,
	candidatesIn,
	type Run,
	type UserQuestion,
	visitChanges,
	wholeSummary,
	winnerOf,
} from "@pi-chronicle/core/machine";
import {
	changedFiles,
	entryForList,
	entryForPeople,
	type FileChange,
	type FileLeft,
	type Finding,
	type MeasuredChanges,
	measuredTotals,
	outputsOf,
} from "@pi-chronicle/core/snapshot";
import { changeLines, leftLines, maxAsked, maxFiles, restLine } from "../../pi/index.ts";
import { changedText } from "./children.ts";
import { runFigures, uncountedText } from "./figures.ts";
import { runTitle } from "./names.ts";

/** Its lines. */
export function askedLines({ text, choices }: Pick<UserQuestion, "text" | "choices">): string[] {
	return [...text.split("\n"), ...choices.map((choice, index) => `  ${index + 1}  ${choice}`)];
}

/** A titled list, after an empty line; nothing if there are no entries. `dropped`: older entries that only the events have. */
export function entrySection(title: string, entries: readonly Finding[], dropped = 0): string[] {
	const older = `… ${counted(dropped, "older entry", "older entries")} only in the events of the run`;
	return section(title, [
		...(dropped > 0 ? [older] : []),
		...entries.flatMap((entry) => entryForList(entry).split("\n")),
	]);
}

/** Titled lines, after an empty line; nothing if there are none. */
export function section(title: string, lines: readonly string[]): string[] {
	return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** The question, in one sentence. */
export function questionTitle({ side, state, target }: ApprovalQuestion): string {
	if (side === "conflict") return `Changes of "${state}" conflict. Who resolves them?`;
	return side === "entry" && state === target ? `Start ${target}?` : `Move from ${state} to ${target}?`;
}

/**
 * The subject of the answer, shown below the title: the worker's summary, the cost, what is planned and known, and the changed files. `now` is
 * ISO 8601.
 */
export function questionLines(question: ApprovalQuestion, run: Run, now: string): string[] {
	return [
		`${runTitle(run)} ${run.id.slice(0, 8)}, visit ${question.visit}: ${headLine(run.task)}`,
		...summaryLines(question, run),
		"",
		`So far: ${spendText(run, now)}`,
		...planAndFiles(question, run),
	];
}

/** What the user approves, without the run's name and cost. */
export function subjectLines(question: ApprovalQuestion, run: Run): string[] {
	return [...summaryLines(question, run), ...planAndFiles(question, run)];
}

function summaryLines(question: ApprovalQuestion, run: Run): string[] {
	const summary = wholeSummary(run, question).trim();
	return summary === "" ? [] : ["", ...summary.split("\n")];
}

function planAndFiles(question: ApprovalQuestion, run: Run): string[] {
	const { side, unmeasured, state } = question;
	const { pendingTasks, findings, dropped } = run.snapshot;
	const count = measuredTotals(visitChanges(run)).files;
	const takes = candidatesOf(question, run).length > 0;
	// A state that only chooses a child changes no files; that is not what approving does.
	const hasFiles = side !== "conflict" && (count > 0 || !(takes || unmeasured !== undefined));
	return [
		...dataLines(question, run),
		...entrySection("Pending tasks", pendingTasks, dropped.pendingTasks),
		...entrySection("Findings", findings, dropped.findings),
		"",
		...conflictFiles(question),
		...(hasFiles ? [...(takes ? [`Changes of ${state} itself:`] : []), ...visitChangeLines(run)] : []),
		...(unmeasured === undefined ? [] : [`Changes could not be measured: ${unmeasured}`]),
		...candidateLines(question, run),
	];
}

/** What the state hands over as data: a line for each field, and for each entry of a list. */
function dataLines({ state, visit }: ApprovalQuestion, { snapshot }: Run): string[] {
	const output = outputsOf(snapshot).find((one) => one.state === state && one.visit === visit);
	const lines = Object.entries(output?.data ?? {}).flatMap(([name, value]) =>
		Array.isArray(value)
			? [`${name}:`, ...value.map((one) => `  - ${valueText(one)}`)]
			: `${name}: ${valueText(value)}`,
	);
	return section("Data", lines);
}

function valueText(value: unknown): string {
	const fields = typeof value === "object" ? { ...value } : undefined;
	return fields ? entryForPeople({ text: "", fields }) : String(value).replace(/\s*\n\s*/g, " ");
}

/** The changes of the current visit: all that the run lists, and how many more there are. Without any, those before it are counted. */
function visitChangeLines(run: Run): string[] {
	const rest = `diff ${run.id.slice(0, 8)} shows them`;
	const changes = visitChanges(run);
	const ofRun = changedFiles(run.snapshot);
	const isLater = ofRun.files > 0 && measuredTotals(changes).files === 0;
	return [
		...changeLines(changes, { max: undefined, rest }),
		...(isLater ? [`Earlier in the run: ${changedText(ofRun)}.`] : []),
	];
}

/** The files of the conflicts of a join, with both sides. */
export function conflictFiles({ conflicts = [] }: ApprovalQuestion): string[] {
	return [
		...conflicts
			.slice(0, maxAsked)
			.map(({ path, kind, ours, theirs }) => `  ${pathOnLine(path)} (${kind}): ${ours} against ${theirs}`),
		...restLine(conflicts.length - maxAsked),
	];
}

/** The children that can be taken with the move that `question` asks about; empty if it takes none. */
function candidatesOf({ side, state, target }: ApprovalQuestion, run: Run): readonly ChildRun[] {
	return side === "conflict" || winnerOf(run, target) === undefined ? [] : candidatesIn(run, state);
}

/** The children that can be taken instead of the one that the worker named. */
export function otherCandidates(question: ApprovalQuestion, run: Run): readonly ChildRun[] {
	return candidatesOf(question, run).filter(({ name }) => name !== run.candidates?.winner);
}

function candidateLines(question: ApprovalQuestion, run: Run): string[] {
	const candidates = candidatesOf(question, run);
	if (candidates.length === 0) return [];
	return [
		"Children:",
		...candidates.slice(0, maxAsked).map(({ id, name, summary, changed }) => {
			const isNamed = name === run.candidates?.winner;
			const files = changed ? ` · ${changedText(changed)}` : "";
			return `  ${name} ${id.slice(0, 8)}${isNamed ? " (named by the worker)" : ""}${files}: ${headLine(summary) || "done"}`;
		}),
		...restLine(candidates.length - maxAsked),
	];
}

/** The changes of a difference, and the reason if they are incomplete. */
export function differenceLines({
	unmeasured,
	unknown,
	taking,
	...measured
}: MeasuredChanges & {
	readonly changes: readonly FileChange[];
	readonly unmeasured: readonly FileLeft[];
	readonly unknown: readonly string[];
	readonly taking?: { readonly conflicts: readonly string[] };
}): string[] {
	const isKnown = unmeasured.length === 0 && unknown.length === 0;
	return [
		...(measured.changes.length > 0 || isKnown ? changeLines(measured) : []),
		...conflictsAhead(taking?.conflicts ?? []),
		...unknown.map((why) => `Changes could not be measured: ${why}`),
		...leftLines("Could not be measured", unmeasured),
	];
}

/** Of the changes that approving makes, because it takes a child. */
export function takingTitle({ name }: { readonly name: string }): string {
	return `If you approve: the files of "${name}" are taken`;
}

function conflictsAhead(paths: readonly string[]): string[] {
	if (paths.length === 0) return [];
	const hidden = paths.length - maxFiles;
	const named = paths.slice(0, maxFiles).map(pathOnLine).join(", ");
	return [`Conflicts with your files: ${named}${hidden > 0 ? ` and ${hidden} more` : ""}`];
}

/** `$0.42, 12.3k tokens, 4m10s`. Tokens without a price are marked. */
export function spendText(run: Run, now: string): string {
	const { costUsd, tokens, activeMs } = runFigures(run, now, "run");
	const uncounted = uncountedText(run.totals);
	const not = uncounted === "" ? "" : ` (${uncounted})`;
	return [costUsd.text, `${tokens.text}${not}`, activeMs.text, ...refusedText(run.totals)].join(", ");
}

/** How many calls were refused; empty: none. */
export function refusedText({ refused = 0 }: Run["totals"]): string[] {
	return refused > 0 ? [`refused: ${refused}`] : [];
}

/** The first line of a text, at most 100 characters of it. */
export function headLine(text: string): string {
	const [line = ""] = text.split("\n", 1);
	return truncate(line, 100);
}
