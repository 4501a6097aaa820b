// The child runs of every state that is done by them: status, time, cost, summary, and the child's own report. Pure.
import type { Visit, VisitChild } from "../../core/index.ts";
import { marks, shortCost, shortCount, shortTime, titleOf } from "../timeline/index.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { counted, drawWords, type ReportPage, type Section } from "./page.ts";
import { drawTable, ends } from "./table.ts";

const firstVisits = 20;
const lastVisits = 30;

/** `undefined` for a run without child runs. */
export function childrenSection(page: ReportPage): Section | undefined {
	const { html, report, leftOut } = page;
	const all = report.visits.filter(({ children }) => children.length > 0);
	if (all.length === 0) return undefined;
	const { rows, leftOut: between } = ends(all, firstVisits, lastVisits);
	if (between > 0) leftOut.push(`Children of ${counted(between, "visit")} in the middle.`);
	const content = rows.map(
		(visit) => html`<h3>Visit ${visit.number}: ${titleOf(visit.state)}</h3>${drawVisit(page, visit)}`,
	);
	return { id: "children", title: "Children", content };
}

function drawVisit(page: ReportPage, { children, files, number }: Visit): HtmlContent {
	const { html } = page;
	const count = files.changes.length + files.more;
	const joined =
		count === 0
			? undefined
			: html`<p>Together they changed <a href="#changes-${number}">${counted(count, "file")}</a>.</p>`;
	const table = drawTable(html, {
		caption: "Child runs, in join order",
		rows: children,
		columns: [
			{ name: "Child", kind: "words", of: (child) => drawName(page, child) },
			{ name: "Status", kind: "words", of: (child) => drawStatus(page, child) },
			{ name: "Time", kind: "number", of: ({ total }) => shortTime(total.activeMs) },
			{
				name: "Spent",
				kind: "number",
				of: ({ total: { spend } }) =>
					html`${shortCost(spend.costUsd)} <span class="second">${shortCount(spend.tokens)} tokens</span>`,
			},
			{ name: "Summary", kind: "words", of: ({ summary }) => drawWords(page, summary) },
		],
	});
	return [table, joined];
}

function drawName({ html, childReports }: ReportPage, { id, name }: VisitChild): Markup {
	const href = childReports.get(id);
	const short = id.slice(0, 8);
	const shown = html.plain(name);
	return href === undefined
		? html`${shown} <span class="second">${short}</span>`
		: html`<a href="${href}">${shown}</a> <span class="second">${short}</span>`;
}

function drawStatus({ html }: ReportPage, { status, detail }: VisitChild): Markup {
	const tone = status === "failed" || status === "aborted" ? "bad" : "plain";
	const why = detail === "" ? undefined : html` <span class="second">${html.cut(detail, 240)}</span>`;
	return html`<span class="${tone}">${childMarks[status]} ${statusWords[status]}</span>${why}`;
}

const childMarks: Readonly<Record<VisitChild["status"], string>> = {
	pending: marks.working,
	parked: marks.paused,
	done: marks.done,
	failed: marks.failed,
	aborted: marks.failed,
	dropped: marks.undone,
};

/** Statuses of a child, for readers. */
export const statusWords: Readonly<Record<VisitChild["status"], string>> = {
	pending: "not finished",
	parked: "waiting",
	done: "done",
	failed: "failed",
	aborted: "aborted",
	dropped: "dropped",
};
