// The visits of a run as a list of links: those that a rewind undid set apart, children below their visit, and for visits that are left out, a row
// with what they hold. Pure.
import { counted } from "@pi-chronicle/core/definition";
import type { Visit, VisitChild } from "@pi-chronicle/core/history";
import { marks, shortCost, shortTime, statusWords, titleOf } from "../phrases/index.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { type Ends, endsOf, type ReportPage } from "./page.ts";
import { timeFigures } from "./time.ts";

const firstVisits = 100;
const lastVisits = 300;
const maxChildren = 12;

/** The visits that have a row, and a page in the report. `shown`: one that is among them whatever its place is. */
export function listedVisits(visits: readonly Visit[], shown?: number): Ends<Visit> {
	const ends = endsOf(visits, firstVisits, lastVisits);
	const missing = shown === undefined || ends.leftOut === 0 ? undefined : visits.find(({ number }) => number === shown);
	const listed = [...ends.first, ...ends.last];
	if (!missing || listed.includes(missing)) return ends;
	return { first: [...ends.first, missing], last: ends.last, leftOut: ends.leftOut - 1 };
}

/** `shown`: the visit that the page shows. */
export function drawVisitList(page: ReportPage, shown?: number): Markup {
	const { html, report } = page;
	const { first, last, leftOut } = listedVisits(report.visits, shown);
	const listed = new Set([...first, ...last]);
	const hidden = report.visits.filter((visit) => !listed.has(visit));
	const gap = leftOut > 0 ? drawGap(page, hidden) : undefined;
	const rows = (visits: readonly Visit[]): HtmlContent =>
		visits.map((visit, at) => drawRow(page, visit, shown, visits[at - 1]));
	return html`<ol class="visits">${rows(first)}${gap}${rows(last)}</ol>`;
}

function drawRow(page: ReportPage, visit: Visit, shown: number | undefined, previous: Visit | undefined): HtmlContent {
	const { html, links } = page;
	const { number, state, undone, children } = visit;
	const apart =
		undone && !previous?.undone ? html`<li class="apart">${marks.undone} undone by a rewind</li>` : undefined;
	const current = number === shown ? html` aria-current="page"` : undefined;
	return [
		apart,
		html`<li class="${undone ? "undone" : "kept"}"><a href="${links.visit(number)}"${current}><span class="num">${number}</span> <span class="state" dir="auto">${html.cut(titleOf(state), 40)}</span> ${signOf(page, visit)} <span class="figures">${timeFigures(visit)}</span></a>${drawChildren(page, children)}</li>`,
	];
}

/** How the visit ended, as a sign with its words. */
function signOf({ html, report: { run } }: ReportPage, { left, number, launches }: Visit): Markup {
	const sign = (mark: string, tone: string, words: string): Markup =>
		html`<span class="sign ${tone}" role="img" aria-label="${words}">${mark}</span>`;
	if (number === run.visit && !left) {
		if (run.stage.kind !== "over") return sign(marks.working, "plain", "current");
		return run.status === "done"
			? sign(marks.done, "good", "the run ended here")
			: sign(marks.failed, "bad", `the run ended: ${run.status}`);
	}
	if (left?.refused !== undefined) return sign(marks.refused, "bad", "a move was refused");
	if (launches.some(({ end }) => end.kind === "crashed" || end.kind === "timed_out"))
		return sign("!", "warn", "a worker ended unexpectedly");
	return sign(marks.done, "good", "left");
}

function drawChildren({ html, links }: ReportPage, children: readonly VisitChild[]): HtmlContent {
	if (children.length === 0) return undefined;
	const rows = children.slice(0, maxChildren).map(({ id, name, status }) => {
		const href = links.child(id);
		const words = html`${html.cut(name, 40)} <span class="dim">${statusWords[status]}</span>`;
		return html`<li>${href === undefined ? words : html`<a href="${href}">${words}</a>`}</li>`;
	});
	const more = children.length - rows.length;
	return html`<ul class="below">${rows}${more > 0 ? html`<li class="dim">and ${more} more</li>` : undefined}</ul>`;
}

/** What the visits that are left out hold. */
function drawGap({ html }: ReportPage, visits: readonly Visit[]): Markup {
	const states = [...Map.groupBy(visits, ({ state }) => state)]
		.map(([state, own]) => ({ state, count: own.length }))
		.sort((one, other) => other.count - one.count);
	const named = states.slice(0, 4).map(({ state, count }) => `${titleOf(state)} ×${count}`);
	const rest = states.length - named.length;
	const ms = visits.reduce((sum, { activeMs }) => sum + activeMs, 0);
	const cost = visits.reduce((sum, { spend }) => sum + spend.costUsd, 0);
	const range = `visits ${visits[0]?.number} to ${visits.at(-1)?.number}`;
	return html`<li class="gap">${counted(visits.length, "visit")} left out (${range}): ${html.cut(named.join(", "), 160)}${rest > 0 ? ` and ${counted(rest, "more state")}` : undefined}; ${shortTime(ms)}, ${shortCost(cost)}</li>`;
}
