// Where the time of a visit was: each message of its model and each call with start and length, and its waits apart. Pure.
import { counted } from "@pi-chronicle/core/definition";
import type { Visit } from "@pi-chronicle/core/history";
import { callText, exactTime, shortCost, shortCount, shortTime, waitPhrases } from "../phrases/index.ts";
import type { HtmlContent, Markup } from "./markup.ts";
import { px, type ReportPage } from "./page.ts";
import { waitedMs } from "./time.ts";
import type { WorkItem } from "./visit-work.ts";

export function drawWork(page: ReportPage, visit: Visit): HtmlContent {
	const { html, report } = page;
	const { first, last, leftOut } = report.workOf(visit.number);
	const items = [...first, ...last];
	if (items.length === 0 && visit.waits.length === 0) return undefined;
	const began = visit.launches.find(({ startedAt }) => startedAt !== undefined)?.startedAt ?? visit.beganAt;
	const longest = Math.max(1, ...items.map(({ from, to }) => to - from));
	const row = (item: WorkItem): Markup => drawItem(page, item, began, longest);
	const gap = leftOut > 0 ? html`<li class="gap">${counted(leftOut, "step")} left out</li>` : undefined;
	return [
		drawSum(page, visit, items, leftOut),
		items.length > 0 ? html`<ol class="work">${first.map(row)}${gap}${last.map(row)}</ol>` : undefined,
		drawWaits(page, visit),
	];
}

/** The time of the model and of calls, of what is listed. */
function drawSum({ html }: ReportPage, visit: Visit, items: readonly WorkItem[], leftOut: number): HtmlContent {
	if (items.length === 0) return undefined;
	const ms = (kind: WorkItem["kind"]): number =>
		items.filter((item) => item.kind === kind).reduce((sum, { from, to }) => sum + to - from, 0);
	const listed = leftOut > 0 ? "of what is listed, " : "";
	return html`<p class="dim">${shortTime(visit.activeMs)} of work: ${listed}model ${shortTime(ms("model"))}, calls ${shortTime(ms("call"))}</p>`;
}

function drawItem({ html }: ReportPage, item: WorkItem, began: number, longest: number): Markup {
	const length = item.to - item.from;
	const bar = html`<svg class="measure" aria-hidden="true" viewBox="0 0 60 8" width="60" height="8"><rect class="bar" width="${px(Math.max(0.5, (60 * length) / longest))}" height="8" rx="1"/></svg>`;
	const start = html`<span class="at">${exactTime(item.from - began)}</span>`;
	if (item.kind === "model") {
		const { spend } = item;
		const cached = spend.cacheRead > 0 ? ` + ${shortCount(spend.cacheRead)} cached` : "";
		const figures = `${shortCount(spend.input + spend.cacheWrite)}${cached} in, ${shortCount(spend.output)} out, ${shortCost(spend.costUsd)}`;
		return html`<li class="model">${start} <span class="what">◆ model <span class="dim">${figures}</span></span> ${bar}<span class="took">${exactTime(length)}</span></li>`;
	}
	const [tool, words] = callText(item.tool, item.args);
	const result =
		item.outcome === "ok"
			? html`<span class="good">ok</span>`
			: html`<span class="bad">${item.outcome}${item.rule === undefined ? "" : `: ${html.cut(item.rule, 120)}`}</span>`;
	return html`<li class="call">${start} <span class="what">▸ <code dir="auto">${html.cut(`${tool} ${words}`, 240)}</code> ${result}</span> ${bar}<span class="took">${exactTime(length)}</span></li>`;
}

function drawWaits({ html, moments }: ReportPage, { waits }: Visit): HtmlContent {
	if (waits.length === 0) return undefined;
	const rows = waits
		.slice(-20)
		.map(({ kind, from, to }) => html`<li>${moments.short(from)} ${waitPhrases[kind]}, ${shortTime(to - from)}</li>`);
	return html`<p class="dim">Waiting, which is no work: ${shortTime(waitedMs(waits))}</p><ul class="plain-list">${rows}</ul>`;
}
