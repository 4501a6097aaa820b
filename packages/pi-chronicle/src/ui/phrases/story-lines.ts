// The history and the findings of a run, or of a ledger of another program, as plain lines. Pure.

import { counted } from "@pi-chronicle/core/definition";
import { explainCause, type Move, type Run } from "@pi-chronicle/core/machine";
import type { LedgerEntry } from "@pi-chronicle/core/ports";
import { changedFiles } from "@pi-chronicle/core/snapshot";
import { changeLines, shortCost, shortCount, shortTask, shortTime } from "../../pi/index.ts";
import { keptLine, type Undone, undoneText } from "./figures.ts";
import { dayTime, marks } from "./names.ts";
import { entrySection, section } from "./question-lines.ts";
import { runStatusText } from "./why.ts";

/** The moves that the ledger still has, then what is known. */
export function storyLines(run: Run, undone: Undone): string[] {
	return [
		...section("History", historyLines(run, undone)),
		...knowledgeLines(run, 8),
		...section("Saved by rewinds", run.kept.map(keptLine)),
	];
}

/** The moves that the ledger still has, with the cause, figures and summary of each; newest last. */
export function historyLines({ history, moves }: Run, undone: Undone): string[] {
	const earlier = moves.total - history.length;
	const lost = undoneText(undone);
	return [
		...(earlier > 0 ? [`… ${earlier} earlier moves are in the events`] : []),
		...history.flatMap((move) => moveLines(move, undone)),
		...(lost === undefined ? [] : [`${marks.undone} ${lost}`]),
	];
}

/** Pending tasks, findings and the changed files, at most `max` of them by name. */
export function knowledgeLines({ snapshot, unmeasured }: Run, max: number): string[] {
	const { files, pendingTasks, findings, dropped } = snapshot;
	return [
		...entrySection("Pending tasks", pendingTasks, dropped.pendingTasks),
		...entrySection("Findings", findings, dropped.findings),
		...section("Files", [
			...(files.length === 0 ? [] : changeLines({ changes: files, total: changedFiles(snapshot) }, { max })),
			...unmeasured.map(
				({ visit, state, why }) => `Changes of visit ${visit} (${state}) could not be measured: ${why}`,
			),
		]),
	];
}

function moveLines({ from, to, at, cause, summary, visit, metrics, refused }: Move, { visits }: Undone): string[] {
	const { attempts, activeMs, tokens, costUsd, toolCalls } = metrics;
	const why =
		cause === "worker"
			? []
			: [`   ${refused === undefined ? cause.replaceAll("_", " ") : explainCause(cause, from, refused)}`];
	const figures = `${counted(attempts, "attempt")}, ${shortTime(activeMs)}, ${shortCount(tokens)} tokens, ${shortCost(costUsd)}, ${counted(toolCalls, "call")}`;
	return [
		`${visit}. ${from} ${cause === "rewind" ? marks.undone : "→"} ${to}${visits.has(visit) ? "  undone" : ""}  ${dayTime(at)}  ${figures}`,
		...why,
		...(summary === "" ? [] : summary.split("\n").map((line) => `   ${line}`)),
	];
}

export type ForeignEntry = Extract<LedgerEntry, { kind: "foreign" }>;

const maxMoves = 50;

/** Its status, as plain lines. */
export function foreignLines({ id, summary, format }: ForeignEntry): string[] {
	const { template, status, state, task, tokens, updatedAt } = summary;
	return [
		`${template} ${id.slice(0, 8)} · ${runStatusText(status)} · ${state}`,
		`A ledger of ${format}: you can inspect it, but not continue it here.`,
		...(task === "" ? [] : [`Task: ${shortTask(task, "its ledger has all of it")}`]),
		`Total: ${shortCount(tokens)} tokens${updatedAt === "" ? "" : `, last changed ${updatedAt.slice(0, 16).replace("T", " ")}`}`,
	];
}

/** Its history and findings. */
export function foreignStoryLines({ story }: ForeignEntry): string[] {
	const { history, findings, pendingTasks, files } = story;
	const earlier = history.length - maxMoves;
	const moves = history
		.slice(-maxMoves)
		.flatMap(({ state, who, at, tokens, summary }) => [
			[
				state,
				...(who === "" ? [] : [who]),
				...(at === "" ? [] : [at.slice(0, 16).replace("T", " ")]),
				`${shortCount(tokens)} tokens`,
			].join("  "),
			...(summary === "" ? [] : summary.split("\n").map((line) => `   ${line}`)),
		]);
	return [
		...section("History", [...(earlier > 0 ? [`… ${earlier} earlier entries`] : []), ...moves]),
		...section("Pending tasks", pendingTasks.map(withoutBreaks)),
		...section("Findings", findings.map(withoutBreaks)),
		...section("Files", files),
	];
}

/** The same for `--json`. */
export function foreignData({ id, format, summary, story }: ForeignEntry): Record<string, unknown> {
	const { template, task, status, state, updatedAt, tokens } = summary;
	const { history, ...snapshot } = story;
	return {
		...{ id, foreign: format, status, state, template: { name: template }, task, updatedAt },
		...{ totals: { tokens }, history, snapshot },
	};
}

function withoutBreaks(text: string): string {
	return text.replaceAll(/\s*\n\s*/g, " ");
}
