// One row per visit: its workers and how they ended, its time and spend, the move that ended it, and its summary. Pure.
import type { Launch, Visit } from "@pi-chronicle/core/history";
import { measuredTotals } from "@pi-chronicle/core/snapshot";
import {
	causePhrase,
	endMarks,
	marks,
	reasonPhrase,
	shortCost,
	shortCount,
	shortTime,
	titleOf,
	waitPhrase,
} from "../phrases/index.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { drawTable, drawWords, type Ends, endsOf, type ReportPage, type Section } from "./page.ts";

const firstVisits = 200;
const lastVisits = 300;
const maxLaunches = 8;

export function historySection(page: ReportPage): Section {
	const { html, report, moments } = page;
	if (report.visits.length === 0) return { id: "history", title: "History", content: foldedHistory(page) };
	const content = drawTable<Visit>(page, {
		caption: "Visits in order",
		rows: shownVisits(report.visits),
		what: "visits",
		rowId: ({ number }) => `visit-${number}`,
		rowClass: ({ undone }) => (undone ? "undone" : undefined),
		columns: [
			{
				name: "Visit",
				kind: "words",
				of: ({ number, state, beganAt, undone }) =>
					html`<span class="num">${number}</span> ${titleOf(state)}${undone ? html` <span class="tag">${marks.undone} undone</span>` : undefined} <span class="second">${moments.short(beganAt)}</span>`,
			},
			{ name: "Time", kind: "number", of: (visit) => drawTimes(page, visit) },
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
		],
	});
	return { id: "history", title: "History", content };
}

/** The visits that the table shows. */
export function shownVisits(visits: readonly Visit[]): Ends<Visit> {
	return endsOf(visits, firstVisits, lastVisits);
}

/** Its active time, and how long it waited for what. */
function drawTimes({ html }: ReportPage, { activeMs, waits }: Visit): Markup {
	const kinds = [...Map.groupBy(waits, ({ kind }) => kind)].map(([kind, own]) => {
		const ms = own.reduce((sum, { from, to }) => sum + to - from, 0);
		return html` <span class="second">${shortTime(ms)} ${waitPhrase(kind)}</span>`;
	});
	return html`${shortTime(activeMs)}${kinds}`;
}

function drawLaunches(page: ReportPage, { launches, left }: Visit): HtmlContent {
	const { html, report } = page;
	if (launches.length === 0) return html`<span class="dim">none</span>`;
	const items = launches
		.slice(-maxLaunches)
		.map((launch) => html`<li>${drawLaunch(page, launch, left !== undefined, report.endedAt)}</li>`);
	const more = launches.length - maxLaunches;
	return html`<ul class="workers">${more > 0 ? html`<li class="dim">${more} earlier</li>` : undefined}${items}</ul>`;
}

function drawLaunch({ html }: ReportPage, launched: Launch, isLeft: boolean, now: number): Markup {
	const { attempt, launch, because, model, end, startedAt, endedAt = now } = launched;
	const mark = endMarks[end.kind];
	const words = end.kind === "moved" && isLeft ? "moved on" : html.cut(end.words, 240);
	const tone = end.kind === "crashed" || end.kind === "timed_out" || end.kind === "unstarted" ? "bad" : "plain";
	const why = because === "entered" ? "" : ` (${reasonPhrase(because)})`;
	const name = launch > 1 ? `${attempt}.${launch}` : String(attempt);
	const took = startedAt === undefined ? [] : [shortTime(endedAt - startedAt)];
	const about = [...(model === undefined ? [] : [model]), ...took].join(" · ");
	return html`<b>${name}</b> <span class="${tone}">${mark === "" ? "" : `${mark} `}${words}</span>${why}${about === "" ? undefined : html` <span class="second model">${about}</span>`}`;
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
			left.refused === undefined
				? undefined
				: html` <span class="second bad">${marks.refused} ${titleOf(left.refused)} was refused</span>`;
		return html`to ${titleOf(left.to)} <span class="second">${causePhrase(left.cause)}</span>${refused}`;
	}
	if (number !== report.run.visit) return undefined;
	const { status, stage } = report.run;
	return html`<span class="dim">${stage.kind === "over" ? `the run ended: ${status}` : "current"}</span>`;
}

/** The last moves as kept by the folded run, if the events are missing. */
function foldedHistory(page: ReportPage): HtmlContent {
	const { report, moments } = page;
	const { history } = report.run;
	if (history.length === 0) return undefined;
	return drawTable(page, {
		caption: "The last moves in the folded state",
		rows: history,
		columns: [
			{ name: "Visit", kind: "words", of: ({ visit, from }) => `${visit} ${titleOf(from)}` },
			{ name: "Left", of: ({ at }) => moments.short(Date.parse(at)) },
			{ name: "To", kind: "words", of: ({ to }) => titleOf(to) },
			{ name: "Cause", kind: "words", of: ({ cause }) => causePhrase(cause) },
			{ name: "Active", kind: "number", of: ({ metrics }) => shortTime(metrics.activeMs) },
			{ name: "Tokens", kind: "number", of: ({ metrics }) => shortCount(metrics.tokens) },
			{ name: "Cost", kind: "number", of: ({ metrics }) => shortCost(metrics.costUsd) },
			{ name: "Summary", kind: "words", of: ({ summary }) => drawWords(page, summary) },
		],
	});
}
