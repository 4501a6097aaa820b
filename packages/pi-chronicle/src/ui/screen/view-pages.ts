// The pages of the run view that are lines of text: history, knowledge, events. Lines are not cut to a width. Pure.

import { type LedgerEvent, liveTotals, type Run } from "@pi-chronicle/core/machine";
import { dim, type Line, plain, type StyledText, type Tone } from "../../tui/index.ts";
import {
	clockTime,
	eventText,
	eventTone,
	historyLines,
	keptLine,
	knowledgeLines,
	resultLines,
	runStatusText,
	shortCost,
	shortCount,
	shortTime,
	type Undone,
} from "../phrases/index.ts";
import { changedFile } from "./patch.ts";

const accent = (text: string): StyledText => ({ text, tone: "accent" });

/** Every move with its cause, figures and summary, then the current visit; newest last. */
export function historyPage(run: Run, now: string, undone: Undone): Line[] {
	const { activeMs, tokens, costUsd, summary } = run.visitRecord;
	const ran = activeMs + liveTotals(run, now).activeMs - run.totals.activeMs;
	const figures = ` · ${shortTime(ran)} · ${shortCount(tokens)} tokens · ${shortCost(costUsd)}`;
	return [
		[plain(run.task.trim())],
		[plain("")],
		...historyLines(run, undone).map(moveLine),
		[dim(`${run.visit}. `), accent(run.state), plain(`  ${runStatusText(run.status)}`), dim(figures)],
		...(summary === "" ? [] : summary.split("\n").map((line): Line => [plain(`   ${line}`)])),
		...run.kept.map((state): Line => [dim("   kept: "), plain(keptLine(state))]),
		...run.notices.map((notice): Line => [{ text: `   ${notice}`, tone: "warning" }]),
	];
}

/** `3. check → build  2026-01-02 10:20  1 attempt, …`, styled; the lines below a move unchanged. */
function moveLine(text: string): Line {
	const [, number, states, figures] = /^(\d+\. )(.*?)( {2}\d{4}-.*)$/.exec(text) ?? [];
	if (number === undefined || states === undefined) return [text.startsWith("   ") ? plain(text) : dim(text)];
	return [dim(number), states.endsWith("undone") ? dim(states) : accent(states), dim(figures ?? "")];
}

/** The result of a finished run, pending tasks, findings, and the files changed so far. */
export function knowledgePage(run: Run): Line[] {
	const lines = [...resultLines(run, "", true), ...knowledgeLines(run, Number.POSITIVE_INFINITY)];
	if (lines.length === 0) return [[dim("Nothing is known yet.")]];
	return lines
		.slice(lines[0] === "" ? 1 : 0)
		.map((text) => (/^\S.*:$/.test(text) ? [accent(text)] : changedFile(text.replace(/^ {2}(?= {2}[AMDR] )/, ""))));
}

const tones: Readonly<Record<ReturnType<typeof eventTone>, Tone>> = {
	plain: "plain",
	good: "success",
	dim: "dim",
	user: "accent",
	note: "plain",
	warn: "warning",
	bad: "error",
};

/** `12  09:41:07  2.1  ▸ bash npm test`: number, time, visit and attempt, what happened. */
export function eventLine(event: LedgerEvent): Line {
	const where = "visit" in event ? `${event.visit}${"attempt" in event ? `.${event.attempt}` : ""}` : "";
	const isFailed = event.kind === "tool_ended" && (event.error === true || event.blocked !== undefined);
	return [
		{ text: `${String(event.seq).padStart(5)}  ${clockTime(event.at)}  ${where.padEnd(5)} `, tone: "dim" },
		{ text: eventText(event), tone: isFailed ? "error" : tones[eventTone(event)] },
	];
}
