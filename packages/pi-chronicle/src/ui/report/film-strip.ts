// The states of a run in a row, each with its mark, visits and cost: where the run is and where it has been. Pure.
import { crumbsOf, marks, shortCost, shortTime, wordsOfMark } from "../phrases/index.ts";
import type { Markup } from "./markup.ts";
import type { ReportPage } from "./page.ts";

const maxFrames = 40;

export function drawFilmStrip({ html, report }: ReportPage): Markup {
	const all = crumbsOf(report.run);
	const shown =
		all.length <= maxFrames ? all : all.filter(({ visits, current }) => current || visits > 0).slice(-maxFrames);
	const frames = shown.map(({ state, title, mark, visits, current, follows }) => {
		const { activeMs = 0, spend } = report.states.get(state) ?? {};
		const figures = activeMs > 0 ? `${shortTime(activeMs)} · ${shortCost(spend?.costUsd ?? 0)}` : "";
		const step = current ? html` aria-current="step"` : undefined;
		return html`<li class="${follows ? "follows" : "apart"}"${step}><span class="sign ${mark}" role="img" aria-label="${wordsOfMark(mark)}">${mark === "todo" ? "○" : marks[mark]}</span> <span dir="auto">${html.cut(title, 40)}</span>${visits > 1 ? html` <span class="dim">×${visits}</span>` : undefined}${figures === "" ? undefined : html` <span class="second">${figures}</span>`}</li>`;
	});
	const more = all.length - shown.length;
	return html`<ol class="film" tabindex="0" aria-label="States">${frames}${more > 0 ? html`<li class="dim">and ${more} more</li>` : undefined}</ol>`;
}
