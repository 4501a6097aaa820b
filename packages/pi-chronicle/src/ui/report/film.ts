// The film strip of a run: its visits in a row, as the terminal draws it. Pure.
import { counted } from "@pi-chronicle/core/definition";
import { framesOf, layFilm, markWords, shortCost, shortTime } from "../phrases/index.ts";
import type { Markup } from "./markup.ts";
import type { ReportPage } from "./page.ts";

/** A narrow page scrolls. */
const columns = 80;

export function drawFilm({ html, report: { run, endedAt, visits: known }, links }: ReportPage): Markup {
	const laid = layFilm(framesOf(run, new Date(endedAt).toISOString()), columns);
	const frames = laid.map(({ text, title, mark, visit, visits, isCurrent, ms, costUsd }) => {
		const subject = visits > 1 ? counted(visits, "visit") : `Visit ${visit}, ${title}, ${markWords[mark]}`;
		const words = `${subject}: ${shortTime(ms)}, ${shortCost(costUsd)}`;
		const current = isCurrent ? html` aria-current="step"` : undefined;
		return visits > 1 || !known.some(({ number }) => number === visit)
			? html`<span class="sign ${mark}" role="img" aria-label="${words}">${text}</span>`
			: html`<a class="sign ${mark}" href="${links.visit(visit)}" title="${words}"${current}>${text}</a>`;
	});
	return html`<pre class="film" tabindex="0" role="group" aria-label="Visits in order">${frames}
<span class="dim" aria-hidden="true">${laid.map(({ figures }) => figures).join("")}</span></pre>`;
}
