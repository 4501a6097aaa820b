// The history and the findings of a run, as plain lines. Pure.

import { counted } from "../../../definition/index.ts";
import { changedFiles, explainCause, type Move, type Run } from "../../core/index.ts";
import { keptLine, marks, shortCost, shortCount, shortTime, type Undone, undoneText } from "../timeline/index.ts";
import { entrySection } from "./entry-lines.ts";
import { changeLines } from "./question-lines.ts";

/** The moves that the ledger still has, then the findings, then the changed files. */
export function storyLines({ history, moves, snapshot, unmeasured, kept }: Run, undone: Undone): string[] {
	const earlier = moves.total - history.length;
	const lost = undoneText(undone);
	return [
		...section("History", [
			...(earlier > 0 ? [`… ${earlier} earlier moves`] : []),
			...history.flatMap((move) => moveLines(move, undone)),
			...(lost === undefined ? [] : [`${marks.undone} ${lost}`]),
		]),
		...entrySection("Pending tasks", snapshot.pendingTasks, snapshot.dropped.pendingTasks),
		...entrySection("Findings", snapshot.findings, snapshot.dropped.findings),
		...section("Files", [
			...(snapshot.files.length === 0 ? [] : changeLines({ changes: snapshot.files, total: changedFiles(snapshot) })),
			...unmeasured.map(
				({ visit, state, why }) => `Changes of visit ${visit} (${state}) could not be measured: ${why}`,
			),
		]),
		...section("Saved by rewinds", kept.map(keptLine)),
	];
}

function section(title: string, lines: readonly string[]): string[] {
	return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function moveLines({ from, to, at, cause, summary, visit, metrics, refused }: Move, { visits }: Undone): string[] {
	const { attempts, activeMs, tokens, costUsd } = metrics;
	const why =
		cause === "worker"
			? []
			: [`   ${refused === undefined ? cause.replaceAll("_", " ") : explainCause(cause, from, refused)}`];
	const figures = `${counted(attempts, "attempt")}, ${shortTime(activeMs)}, ${shortCount(tokens)} tokens, ${shortCost(costUsd)}`;
	return [
		`${visit}. ${from} ${cause === "rewind" ? marks.undone : "→"} ${to}${visits.has(visit) ? "  undone" : ""}  ${at.slice(0, 16).replace("T", " ")}  ${figures}`,
		...why,
		...(summary === "" ? [] : summary.split("\n").map((line) => `   ${line}`)),
	];
}
