// An approval question as text: the question, the worker's summary, the changes, the cost. Pure.
import { counted, truncate } from "../../../definition/index.ts";
import {
	type ApprovalQuestion,
	type ChildRun,
	candidatesIn,
	type FileChange,
	type FileLeft,
	liveTotals,
	pathOnLine,
	type Run,
	totalChanges,
	winnerOf,
} from "../../core/index.ts";
import { changedText, runTitle, shortCost, shortCount, shortTime } from "../timeline/index.ts";

const maxFiles = 8;
/** An answer covers all of them. */
const maxAsked = 40;
const summaryLength = 4000;

/** The question, in one sentence. */
export function questionTitle({ side, state, target }: ApprovalQuestion): string {
	if (side === "conflict") return `Changes of "${state}" conflict. Who resolves them?`;
	return side === "entry" && state === target ? `Start ${target}?` : `Move from ${state} to ${target}?`;
}

/** The subject of the answer, shown below the title. `now` is ISO 8601. */
export function questionLines(question: ApprovalQuestion, run: Run, now: string): string[] {
	const summary = question.summary.trim();
	const files = run.snapshot.files.filter(({ visit }) => visit === question.visit);
	const takes = candidatesOf(question, run).length > 0;
	return [
		`${runTitle(run)} ${run.id.slice(0, 8)}, visit ${question.visit}: ${firstLine(run.task)}`,
		...(summary === "" ? [] : ["", cut(summary)]),
		"",
		...conflictLines(question),
		// A state that only chooses a child changes no files; that is not what approving does.
		...(question.side === "conflict" || (files.length === 0 && (takes || question.unmeasured !== undefined))
			? []
			: [...(takes ? [`Changes of ${question.state} itself:`] : []), ...changeLines(files, 0, maxAsked)]),
		...(question.unmeasured === undefined ? [] : [`Changes could not be measured: ${question.unmeasured}`]),
		...candidateLines(question, run),
		`So far: ${spendText(run, now)}`,
	];
}

/** The conflicted files with their two sides. */
function conflictLines({ conflicts = [] }: ApprovalQuestion): string[] {
	const hidden = conflicts.length - Math.min(conflicts.length, maxAsked);
	return [
		...conflicts
			.slice(0, maxAsked)
			.map(({ path, kind, ours, theirs }) => `  ${pathOnLine(path)} (${kind}): ${ours} against ${theirs}`),
		...(hidden > 0 ? [`  … and ${hidden} more`] : []),
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

/** The children to choose from, with what each has done. */
function candidateLines(question: ApprovalQuestion, run: Run): string[] {
	const candidates = candidatesOf(question, run);
	if (candidates.length === 0) return [];
	const hidden = candidates.length - Math.min(candidates.length, maxAsked);
	return [
		"Children:",
		...candidates.slice(0, maxAsked).map(({ id, name, summary, changed }) => {
			const isNamed = name === run.candidates?.winner;
			const files = changed ? ` · ${changedText(changed)}` : "";
			return `  ${name} ${id.slice(0, 8)}${isNamed ? " (named by the worker)" : ""}${files}: ${firstLine(summary) || "done"}`;
		}),
		...(hidden > 0 ? [`  … and ${hidden} more`] : []),
	];
}

/** The changed files with their counts, the first ones by name. */
export function changeLines(files: readonly FileChange[], more = 0, max = maxFiles): string[] {
	if (files.length === 0) return ["No files changed."];
	const { files: count, added, removed } = totalChanges(files, more);
	const hidden = count - Math.min(files.length, max);
	return [
		`${counted(count, "file")} changed, +${added} −${removed}:`,
		...files.slice(0, max).map(changeLine),
		...(hidden > 0 ? [`  … and ${hidden} more`] : []),
	];
}

/** Files that could not be compared or restored, the first ones by name. */
export function leftLines(title: string, left: readonly FileLeft[], more = 0): string[] {
	if (left.length === 0) return [];
	const hidden = left.length - Math.min(left.length, maxFiles) + more;
	return [
		`${title}:`,
		...left.slice(0, maxFiles).map(({ path, why }) => `  ${pathOnLine(path)} (${why})`),
		...(hidden > 0 ? [`  … and ${hidden} more`] : []),
	];
}

/** The changes of a difference, and the reason if they are incomplete. */
export function differenceLines({
	changes,
	more,
	unmeasured,
	unknown,
	taking,
}: {
	readonly changes: readonly FileChange[];
	readonly more: number;
	readonly unmeasured: readonly FileLeft[];
	readonly unknown: readonly string[];
	readonly taking?: { readonly conflicts: readonly string[] };
}): string[] {
	const isKnown = unmeasured.length === 0 && unknown.length === 0;
	return [
		...(changes.length > 0 || isKnown ? changeLines(changes, more) : []),
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
	const hidden = paths.length - Math.min(paths.length, maxFiles);
	const named = paths.slice(0, maxFiles).map(pathOnLine).join(", ");
	return [`Conflicts with your files: ${named}${hidden > 0 ? ` and ${hidden} more` : ""}`];
}

/** The effect of a rewind on the files. */
export function rewindLines({
	changes,
	more,
	left,
	blocked,
}: {
	readonly changes: readonly FileChange[];
	readonly more: number;
	readonly left: readonly FileLeft[];
	readonly blocked: readonly FileLeft[];
}): string[] {
	return [
		...(changes.length > 0 ? ["Changes to the current files:"] : []),
		...changeLines(changes, more, maxAsked),
		...leftLines("Not restored", left),
		...leftLines("The rewind will stop before any change, because these files block it and cannot be saved", blocked),
	];
}

/** `  M src/a.ts +10 −2`. */
function changeLine({ change, path, from, added, removed }: FileChange): string {
	const counts = added === undefined ? "" : ` +${added} −${removed ?? 0}`;
	return `  ${change} ${from === undefined ? "" : `${pathOnLine(from)} → `}${pathOnLine(path)}${counts}`;
}

/** `$0.42, 12.3k tokens, 4m10s`. Tokens without a price are marked. */
export function spendText(run: Run, now: string): string {
	const { costUsd, tokens, activeMs, unmeteredTokens } = liveTotals(run, now);
	const unmetered = unmeteredTokens > 0 ? ` (${shortCount(unmeteredTokens)} without a price)` : "";
	return `${shortCost(costUsd)}, ${shortCount(tokens)} tokens${unmetered}, ${shortTime(activeMs)}`;
}

function firstLine(text: string): string {
	const [line = ""] = text.split("\n", 1);
	return truncate(line, 100);
}

function cut(text: string): string {
	return text.length > summaryLength ? `${text.slice(0, summaryLength)}…` : text;
}
