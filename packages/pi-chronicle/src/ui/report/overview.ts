// The head of the report: the task, the status, the totals, and the user's next step. Pure.

import { counted } from "@pi-chronicle/core/definition";
import { outcomeOf } from "@pi-chronicle/core/machine";
import { changedFiles, entryForList } from "@pi-chronicle/core/snapshot";
import {
	commandAbout,
	currentMark,
	haltReason,
	interruptedStep,
	marks,
	nextStep,
	percent,
	runStatusText,
	shortCost,
	shortCount,
	shortTime,
	titleOf,
	uncountedText,
	undoneOf,
} from "../phrases/index.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import { drawWords, type ReportPage } from "./page.ts";
import { waitedMs } from "./time.ts";

/** `about`: what the page is. */
export function drawHead(page: ReportPage, about = "Report of a chronicle run"): Markup {
	const { html, report, moments } = page;
	const { run } = report;
	const { mark, words } = overviewStatus(page);
	const over = run.stage.kind === "over";
	const when =
		report.endedAt > report.beganAt
			? html`${moments.full(report.beganAt)} – ${moments.full(report.endedAt)}`
			: moments.full(report.beganAt);
	return html`<header class="head"><p class="eyebrow">${about}</p><h1 dir="auto">${html.cut(run.plan.name, 200)}</h1><p class="standing"><span class="status ${mark}"><span class="sign" aria-hidden="true">${marks[mark] === " " ? "○" : marks[mark]}</span> ${words}</span>${over ? undefined : html` in <b>${titleOf(run.state)}</b>`}</p>${drawWhy(page)}<div class="task">${drawWords(page, run.task)}</div><p class="dim meta">${run.plan.name === run.template.name ? undefined : html`Template <span dir="auto">${html.cut(run.template.name, 200)}</span> · `}Run <code>${run.id}</code> · ${when} · times in ${moments.zone}</p></header>`;
}

function drawWhy({ html, report: { run }, interrupted }: ReportPage): HtmlContent {
	const why = interrupted ? interruptedStep(run).what : haltReason(run);
	return why === undefined ? undefined : html`<p class="why" dir="auto">${html.cut(why, 400)}</p>`;
}

/** A running run whose supervisor is gone is interrupted. */
function overviewStatus({ report: { run }, interrupted }: ReportPage): {
	mark: ReturnType<typeof currentMark>;
	words: string;
} {
	return interrupted
		? { mark: "paused", words: "interrupted" }
		: { mark: currentMark(run), words: runStatusText(run.status) };
}

/** The user's next step, with the commands. */
export function drawNext({ html, report: { run }, prefix, interrupted }: ReportPage): HtmlContent {
	const next = interrupted ? interruptedStep(run) : nextStep(run);
	if (!next) return undefined;
	const commands = next.commands.map((command) => html`<code>${prefix}${commandAbout(run, command)}</code> `);
	return html`<aside class="next" aria-label="What the run waits for"><p><b>${next.what}</b>${next.help === undefined ? undefined : html` ${next.help}`}</p>${commands.length > 0 ? html`<p>${commands}</p>` : undefined}</aside>`;
}

/** The result of a finished run: its last summary, and the findings of that state. The other sections have the rest. */
export function drawOutcome(page: ReportPage): HtmlContent {
	const { html, report } = page;
	const { stage, status } = report.run;
	const { state, summary, findings } = outcomeOf(report.run);
	if (stage.kind !== "over" || (summary === "" && findings.length === 0)) return undefined;
	const items = findings.map((finding) => html`<li>${drawWords(page, entryForList(finding))}</li>`);
	const title = status === "done" ? `Result of ${titleOf(state)}` : "Found until then";
	return html`<section class="result" aria-labelledby="result-h"><h2 id="result-h">${title}</h2>${summary === "" ? undefined : html`<div class="task">${drawWords(page, summary)}</div>`}${items.length === 0 ? undefined : html`<ul>${items}</ul>`}</section>`;
}

/** The totals. Everything that is spent has its ceiling, if there is one. */
export function drawFigures({ html, report }: ReportPage): Markup {
	const { run, visits } = report;
	const { totals } = run;
	const limits = { ...run.plan.limits, ...run.limits.run };
	const waited = waitedMs(visits.flatMap(({ waits }) => waits).filter(({ kind }) => kind !== "over"));
	const ready = visits.flatMap(({ launches }) => launches).filter(({ standby }) => standby).length;
	const refused = report.moves.filter((move) => move.refused !== undefined).length;
	const undone = undoneOf(visits);
	const uncounted = uncountedText(totals);
	const files = changedFiles(run.snapshot);
	const moveParts = [
		counted(run.visit, "visit"),
		`${counted(totals.attempts, "worker")}${ready > 0 ? ` (${ready} on standby)` : ""}`,
		...(refused > 0 ? [`${refused} refused`] : []),
		...(undone.visits.size > 0 ? [`${counted(undone.visits.size, "visit")} undone`] : []),
	];
	const tile = (name: string, value: HtmlContent, ...notes: readonly HtmlContent[]): Markup =>
		html`<div class="tile"><dt>${name}</dt><dd><span class="value">${value}</span><span class="note">${notes}</span></dd></div>`;
	return html`<dl class="tiles">${[
		tile(
			"Cost",
			totals.costUsd === 0 && uncounted !== "" ? "unmetered" : shortCost(totals.costUsd),
			undone.visits.size > 0
				? html`<span class="limit">${shortCost(undone.costUsd)} for undone work</span>`
				: undefined,
			uncounted,
			drawLimit(html, "cost", totals.costUsd, limits.costUsd, shortCost),
		),
		tile(
			"Tokens",
			shortCount(totals.tokens),
			`${shortCount(totals.input)} in, ${shortCount(totals.output)} out, ${shortCount(totals.cacheRead)} read from and ${shortCount(totals.cacheWrite)} written to the cache`,
			drawLimit(
				html,
				"tokens",
				totals.tokens - (limits.countCacheReads ? 0 : totals.cacheRead),
				limits.tokens,
				shortCount,
			),
		),
		tile(
			"Active time",
			shortTime(totals.activeMs),
			`of ${shortTime(Math.max(0, report.endedAt - report.beganAt))} elapsed`,
			waited > 0 ? `, ${shortTime(waited)} waiting` : undefined,
			drawLimit(html, "time", totals.activeMs, limits.activeMs, shortTime),
		),
		tile("Moves", run.moves.total, moveParts.join(", ")),
		tile(
			"Tool calls",
			shortCount(totals.toolCalls),
			totals.refused === undefined ? undefined : `${totals.refused} refused`,
		),
		tile(
			"Files changed",
			files.files,
			html`<span class="plus">+${files.added}</span> <span class="minus">−${files.removed}</span> lines`,
		),
	]}</dl>`;
}

/** The used share of a ceiling, as text and as a meter. */
function drawLimit(
	html: Html,
	name: string,
	spent: number,
	ceiling: number | undefined,
	show: (value: number) => string,
): HtmlContent {
	if (ceiling === undefined || ceiling <= 0) return undefined;
	const share = Math.floor((spent / ceiling) * 100);
	return html`<span class="limit"><svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4"/><rect class="${share >= 100 ? "full" : share >= 80 ? "near" : "fine"}" width="${Math.min(100, Math.max(0, share))}" height="4"/></svg>${percent(spent / ceiling)} of the limit on ${name}, ${show(ceiling)}</span>`;
}
