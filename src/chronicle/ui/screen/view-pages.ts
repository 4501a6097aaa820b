// The pages of the run view that are functions of the folded run: history and knowledge. Lines are not cut to a width. Pure.

import { counted } from "../../../definition/index.ts";
import { dim, type Line, plain, type StyledText } from "../../../tui/index.ts";
import { entryForPeople, explainCause, liveTotals, type Move, outcomeOf, type Run } from "../../core/index.ts";
import {
	dayTime,
	keptLine,
	marks,
	runStatusText,
	shortCost,
	shortCount,
	shortTime,
	titleOf,
	type Undone,
	undoneText,
} from "../phrases/index.ts";

const accent = (text: string): StyledText => ({ text, tone: "accent" });

/** Every move with its cause, summary, attempts, time, tokens and cost; newest last. */
export function historyPage(run: Run, now: string, undone: Undone): Line[] {
	const lines: Line[] = [[plain(run.task.trim())], [plain("")]];
	const hidden = run.moves.total - run.history.length;
	if (hidden > 0) lines.push([dim(`… ${hidden} earlier moves are in the events`)]);
	for (const move of run.history) lines.push(...moveLines(move, undone.visits.has(move.visit)));
	const lost = undoneText(undone);
	if (lost !== undefined) lines.push([{ text: `${marks.undone} ${lost}`, tone: "warning" }]);
	const { attempts, activeMs, tokens, costUsd, summary } = run.visitRecord;
	const ran = activeMs + liveTotals(run, now).activeMs - run.totals.activeMs;
	lines.push([
		dim(`${run.visit}. `),
		accent(titleOf(run.state)),
		plain(`  ${runStatusText(run.status)}`),
		dim(
			` · ${counted(attempts, "attempt")} · ${shortTime(ran)} · ${shortCount(tokens)} tokens · ${shortCost(costUsd)}`,
		),
	]);
	lines.push(...textLines(summary));
	for (const state of run.kept) lines.push([dim("   kept: "), plain(keptLine(state))]);
	for (const notice of run.notices) lines.push([{ text: `   ${notice}`, tone: "warning" }]);
	return lines;
}

function moveLines(move: Move, isUndone: boolean): Line[] {
	const { from, to, at, cause, visit, refused, summary } = move;
	const { attempts, activeMs, tokens, costUsd, toolCalls } = move.metrics;
	const figures = `${dayTime(at)} · ${counted(attempts, "attempt")} · ${shortTime(activeMs)} · ${shortCount(tokens)} tokens · ${shortCost(costUsd)} · ${counted(toolCalls, "call")}`;
	const why = refused === undefined ? cause.replaceAll("_", " ") : explainCause(cause, from, refused);
	return [
		[
			dim(`${visit}. `),
			isUndone ? dim(titleOf(from)) : accent(titleOf(from)),
			dim(cause === "rewind" ? ` ${marks.undone} ` : " → "),
			plain(titleOf(to)),
			...(isUndone ? [dim("  undone")] : []),
			dim(`  ${figures}`),
		],
		...(cause === "worker" ? [] : [[{ text: `   ${why}`, tone: "warning" } as const]]),
		...textLines(summary, isUndone ? dim : plain),
	];
}

/** The non-blank lines of a text, indented. */
function textLines(text: string, style: (text: string) => StyledText = plain): Line[] {
	return text
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map((line) => [style(`   ${line}`)]);
}

/** The result of a finished run, findings, pending tasks, and the files changed so far. */
export function knowledgePage(run: Run): Line[] {
	const { unmeasured } = run;
	const { findings, pendingTasks, files, dropped } = run.snapshot;
	const entries = (list: typeof findings): Line[] =>
		list.length === 0
			? [[dim("  none")]]
			: [...list]
					.reverse()
					.map(({ id, key, state, visit, ...entry }) => [
						dim(`  ${id} `),
						...(key === undefined ? [] : [accent(`${key}: `)]),
						plain(entryForPeople(entry)),
						dim(`  (${state}, visit ${visit})`),
					]);
	const left = dropped.findings + dropped.pendingTasks;
	return [
		...resultSection(run),
		[accent("Pending tasks")],
		...entries(pendingTasks),
		[accent("Findings")],
		...entries(findings),
		...(left > 0 ? [[dim(`  ${left} older entries are in the events`)]] : []),
		[accent("Files changed")],
		...(files.length === 0 && unmeasured.length === 0 ? [[dim("  none")]] : [...files].reverse().map(fileLine)),
		...unmeasured.map(
			({ visit, why }): Line => [
				{ text: `  changes of visit ${visit} could not be measured: ${why}`, tone: "warning" },
			],
		),
	];
}

/** The last summary of a finished run, whole. */
function resultSection(run: Run): Line[] {
	const { state, visit, summary } = outcomeOf(run);
	if (run.stage.kind !== "over" || summary === "") return [];
	return [[accent(`Result of ${state}`), dim(`  visit ${visit}`)], ...textLines(summary)];
}

function fileLine({ path, change, from, added, removed, visit }: Run["snapshot"]["files"][number]): Line {
	return [
		dim(`  ${change} `),
		plain(from === undefined ? path : `${from} → ${path}`),
		...(added === undefined ? [] : [{ text: `  +${added}`, tone: "success" } as const]),
		...(removed === undefined ? [] : [{ text: ` −${removed}`, tone: "error" } as const]),
		dim(`  visit ${visit}`),
	];
}
