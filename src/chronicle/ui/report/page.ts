// What every section of the report is written with, and the few forms that several of them share. Pure.
import type { ReadLedger } from "../../core/index.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import type { Moments } from "./moment.ts";
import type { ReportModel } from "./report-model.ts";

export interface ReportPage {
	readonly html: Html;
	readonly report: ReportModel;
	readonly moments: Moments;
	readonly holder: ReadLedger["holder"];
	/** Put before every command: `/chronicle ` in pi, `pi-chronicle ` outside. */
	readonly prefix: string;
	/** Sentences about what the report does not show; sections add to it. */
	readonly leftOut: string[];
}

export interface Section {
	readonly id: string;
	readonly title: string;
	readonly content: HtmlContent;
}

/** Characters of a text that are shown at once, and at all. */
const shownAtOnce = 420;
const shownAtAll = 12_000;

/** Words of a person or a model. Long ones are folded, very long ones cut. */
export function drawWords({ html, leftOut }: ReportPage, text: string): HtmlContent {
	const whole = html.plain(text.trim());
	if (whole === "") return undefined;
	if (whole.length <= shownAtOnce) return html`<span class="said" dir="auto">${whole}</span>`;
	if (whole.length > shownAtAll) addOnce(leftOut, `Texts are cut after ${shownAtAll} characters.`);
	const start = html.cut(whole.replace(/\s+/g, " "), 200);
	return html`<details class="more"><summary dir="auto">${start}</summary><div class="said" dir="auto">${html.cut(whole, shownAtAll)}</div></details>`;
}

export function addOnce(list: string[], sentence: string): void {
	if (!list.includes(sentence)) list.push(sentence);
}

/** A chart in its two drawings, with the words below it and the same as a table. */
export function drawChart(
	{ html }: ReportPage,
	chart: {
		readonly wide: Markup;
		readonly narrow: Markup;
		readonly caption: HtmlContent;
		readonly table: Markup;
		/** Name of the frame that scrolls where a drawing is larger than the page. */
		readonly name: string;
	},
): Markup {
	const frame = (room: string, drawing: Markup): Markup =>
		html`<div class="frame ${room}" tabindex="0" role="region" aria-label="${chart.name}">${drawing}</div>`;
	return html`<figure class="chart">${frame("wide", chart.wide)}${frame("narrow", chart.narrow)}<figcaption>${chart.caption}</figcaption></figure><details class="data"><summary>The same as a table</summary>${chart.table}</details>`;
}

/** A mark with its meaning, for legends. */
export function drawKey(html: Html, sign: Markup, words: string): Markup {
	return html`<span class="key">${sign} ${words}</span>`;
}

/** `1 visit`, `3 visits`. */
export function counted(count: number, one: string, many = `${one}s`): string {
	return `${count} ${count === 1 ? one : many}`;
}
