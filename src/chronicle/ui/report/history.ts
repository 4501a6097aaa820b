// One row per visit: its workers and how they ended, its time and spend, the move that ended it, and its summary. Pure.
import { counted } from "../../../definition/index.ts";
import type { Launch, Visit } from "../../core/index.ts";
import { measuredTotals } from "../../core/index.ts";
import { marks, shortCost, shortCount, shortTime, titleOf } from "../timeline/index.ts";
import { endMarks } from "./gantt.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { drawWords, type ReportPage, type Section } from "./page.ts";
import { causePhrase, reasonPhrase } from "./phrases.ts";
import { type Column, drawTable, ends } from "./table.ts";

const firstVisits = 200;
const lastVisits = 300;
const maxLaunches = 8;

export function historySection(page: ReportPage): Section {
	const { html, report, moments, leftOut } = page;
	const title = "History";
	if (report.visits.length === 0) return { id: "history", title, content: foldedHistory(page) };
	const rows = shownVisits(report.visits);
	const between = report.visits.length - rows.length;
	if (between > 0) leftOut.push(`${counted(between, "visit")} in the middle of the history.`);
	const columns: Column<Visit>[] = [
		{
			name: "Visit",
			kind: "words",
			of: ({ number, state, beganAt, undone }) =>
				html`<span class="num">${number}</span> ${titleOf(state)}${undone ? html` <span class="tag">${marks.undone} undone</span>` : undefined} <span class="second">${moments.short(beganAt)}</span>`,
		},
		{ name: "Time", kind: "number", of: ({ activeMs, waits }) => times(page, activeMs, waits) },
		{
			name: "Spent",
			kind: "number",
			of: ({ spend }) =>
				html`${shortCost(spend.costUsd)} <span class="second">${shortCount(spend.tokens)} tokens</span>`,
		},
		{ name: "Workers", kind: "words", of: (visit) => drawLaunches(page, visit) },
		{ name: "Files", kind: "number", of: ({ number, files }) => drawFiles(page, number, files) },
		{ name: "Left", kind: "words", of: (visit) => drawLeft(page, visit) },
		{ name: "Summary", kind: "words", of: ({ summary }) => drawWords(page, summary) },
	];
	return {
		id: "history",
		title,
		content: drawTable(html, {
			caption: "Visits in order",
			rows,
			columns,
			rowId: ({ number }) => `visit-${number}`,
			rowClass: ({ undone }) => (undone ? "undone" : undefined),
		}),
	};
}

/** The visits that the table shows. */
export function shownVisits(visits: readonly Visit[]): readonly Visit[] {
	return ends(visits, firstVisits, lastVisits).rows;
}

function times({ html }: ReportPage, activeMs: number, waits: Visit["waits"]): Markup {
	const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0);
	return waited > 0
		? html`${shortTime(activeMs)} <span class="second">${shortTime(waited)} waited</span>`
		: html`${shortTime(activeMs)}`;
}

function drawLaunches(page: ReportPage, { launches, left }: Visit): HtmlContent {
	const { html } = page;
	if (launches.length === 0) return html`<span class="dim">none</span>`;
	const items = launches
		.slice(-maxLaunches)
		.map((launch) => html`<li>${drawLaunch(page, launch, left !== undefined)}</li>`);
	const more = launches.length - maxLaunches;
	return html`<ul class="workers">${more > 0 ? html`<li class="dim">${more} earlier</li>` : undefined}${items}</ul>`;
}

function drawLaunch({ html }: ReportPage, { attempt, launch, because, model, end }: Launch, gone: boolean): Markup {
	const mark = endMarks[end.kind];
	const words = end.kind === "moved" && gone ? "moved on" : html.cut(end.words, 240);
	const tone = end.kind === "crashed" || end.kind === "timed_out" || end.kind === "unstarted" ? "bad" : "plain";
	const why = because === "entered" ? "" : ` (${reasonPhrase(because)})`;
	const name = launch > 1 ? `${attempt}.${launch}` : String(attempt);
	return html`<b>${name}</b> <span class="${tone}">${mark === "" ? "" : `${mark} `}${words}</span>${why}${model === undefined ? undefined : html` <span class="second model">${model}</span>`}`;
}

function drawFiles({ html }: ReportPage, number: number, files: Visit["files"]): HtmlContent {
	if (files.unmeasured !== undefined && files.changes.length === 0) return html`<span class="dim">not recorded</span>`;
	const { files: count, added, removed } = measuredTotals(files);
	if (count === 0) return html`<span class="dim">0</span>`;
	return html`<a href="#changes-${number}">${count}</a> <span class="second"><span class="plus">+${added}</span> <span class="minus">−${removed}</span></span>`;
}

function drawLeft({ html, report }: ReportPage, { number, left }: Visit): HtmlContent {
	if (left) {
		const refused =
			left.refused === undefined ? undefined : html` <span class="second bad">⊘ ${titleOf(left.refused)}</span>`;
		return html`to ${titleOf(left.to)} <span class="second">${causePhrase(left.cause)}</span>${refused}`;
	}
	if (number !== report.run.visit) return undefined;
	const { status } = report.run;
	const over = status === "done" || status === "failed" || status === "aborted";
	return html`<span class="dim">${over ? `the run ended: ${status}` : "current"}</span>`;
}

/** The last moves as kept by the folded run, if the events are missing. */
function foldedHistory(page: ReportPage): HtmlContent {
	const { html, report, moments } = page;
	const { history } = report.run;
	if (history.length === 0) return html`<p>No moves yet.</p>`;
	return drawTable(html, {
		caption: "The last moves in the folded state",
		rows: history,
		columns: [
			{ name: "Visit", kind: "words", of: ({ visit, from }) => `${visit} ${titleOf(from)}` },
			{ name: "Left", of: ({ at }) => moments.short(Date.parse(at)) },
			{ name: "To", kind: "words", of: ({ to }) => titleOf(to) },
			{ name: "Cause", kind: "words", of: ({ cause }) => causePhrase(cause) },
			{ name: "Attempts", kind: "number", of: ({ metrics }) => metrics.attempts },
			{ name: "Active", kind: "number", of: ({ metrics }) => shortTime(metrics.activeMs) },
			{ name: "Tokens", kind: "number", of: ({ metrics }) => shortCount(metrics.tokens) },
			{ name: "Cost", kind: "number", of: ({ metrics }) => shortCost(metrics.costUsd) },
			{ name: "Summary", kind: "words", of: ({ summary }) => drawWords(page, summary) },
		],
	});
}
