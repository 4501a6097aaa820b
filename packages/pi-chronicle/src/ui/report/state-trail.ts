// The states of a run in a row, as breadcrumbs: each with its mark, visits and cost. Pure.
import { crumbsOf, marks, shortCost, shortTime, wordsOfMark } from "../phrases/index.ts";
import type { Markup } from "./markup.ts";
import type { ReportPage } from "./page.ts";

const maxStates = 40;

export function drawStateTrail({ html, report }: ReportPage): Markup {
	const all = crumbsOf(report.run);
	const shown =
		all.length <= maxStates ? all : all.filter(({ visits, current }) => current || visits > 0).slice(-maxStates);
	const items = shown.map(({ state, title, mark, visits, current, follows }) => {
		const { activeMs = 0, spend } = report.states.get(state) ?? {};
		const figures = activeMs > 0 ? `${shortTime(activeMs)} · ${shortCost(spend?.costUsd ?? 0)}` : "";
		const step = current ? html` aria-current="step"` : undefined;
		return html`<li class="${follows ? "follows" : "apart"}"${step}><span class="sign ${mark}" role="img" aria-label="${wordsOfMark(mark)}">${mark === "todo" ? "○" : marks[mark]}</span> <span dir="auto">${html.cut(title, 40)}</span>${visits > 1 ? html` <span class="dim">×${visits}</span>` : undefined}${figures === "" ? undefined : html` <span class="second">${figures}</span>`}</li>`;
	});
	const more = all.length - shown.length;
	return html`<ol class="trail" tabindex="0" aria-label="States">${items}${more > 0 ? html`<li class="dim">and ${more} more</li>` : undefined}</ol>`;
}
