// The film strip of a run: its visits in a row, as the terminal draws it. Pure.
import { counted } from "@pi-chronicle/core/definition";
import { framesOf, layFilm, markWords, shortCost, shortTime } from "../phrases/index.ts";
import type { Markup } from "./markup.ts";
import type { ReportPage } from "./page.ts";

/** Drawn twice, of which a page shows the one that fits: the end of a run must not be out of sight on a phone. */
export function drawFilm(page: ReportPage): Markup {
	return page.html`${drawStrip(page, "wide", 80)}${drawStrip(page, "narrow", 40)}`;
}

function drawStrip(
	{ html, report: { run, endedAt, visits: known }, links }: ReportPage,
	width: "wide" | "narrow",
	columns: number,
): Markup {
	const laid = layFilm(framesOf(run, new Date(endedAt).toISOString()), columns);
	const frames = laid.map(({ text, title, mark, visit, visits, isCurrent, ms, costUsd }) => {
		const subject = visits > 1 ? counted(visits, "visit") : `Visit ${visit}, ${title}, ${markWords[mark]}`;
		const words = `${subject}: ${shortTime(ms)}, ${shortCost(costUsd)}`;
		const current = isCurrent ? html` aria-current="step"` : undefined;
		return visits > 1 || !known.some(({ number }) => number === visit)
			? html`<span class="sign ${mark}" role="img" aria-label="${words}">${text}</span>`
			: html`<a class="sign ${mark}" href="${links.visit(visit)}" title="${words}"${current}>${text}</a>`;
	});
	return html`<pre class="film ${width}" tabindex="0" role="group" aria-label="Visits in order">${frames}
<span class="dim" aria-hidden="true">${laid.map(({ figures }) => figures).join("")}</span></pre>`;
}
