// The context of every section of the report, and the elements that several sections share. Pure.
import type { Html, HtmlContent, Markup } from "./markup.ts";
import type { Moments } from "./moment.ts";
import type { ReportModel } from "./report-model.ts";

export interface ReportPage {
	readonly html: Html;
	readonly report: ReportModel;
	readonly moments: Moments;
	/** The run was running, and its supervisor is gone. */
	readonly interrupted: boolean;
	/** Prefix of every command: `/chronicle ` in pi, `pi-chronicle ` outside. */
	readonly prefix: string;
	/** Sentences about omissions; sections add to it. */
	readonly leftOut: string[];
	/** Reports of child runs by run id, as paths relative to this one. */
	readonly childReports: ReadonlyMap<string, string>;
}

export interface Section {
	readonly id: string;
	readonly title: string;
	readonly content: HtmlContent;
}

/** Maximum characters of a text before it is folded, and before it is cut. */
const shownAtOnce = 420;
const shownAtAll = 12_000;

/** Text from the user or a model. Long texts are folded, very long ones cut. */
export function drawWords({ html, leftOut }: ReportPage, text: string): HtmlContent {
	const whole = html.plain(text.trim());
	if (whole === "") return undefined;
	if (whole.length <= shownAtOnce) return html`<span class="said" dir="auto">${whole}</span>`;
	if (whole.length > shownAtAll) addOnce(leftOut, `Texts longer than ${shownAtAll} characters are truncated.`);
	const start = html.cut(whole.replace(/\s+/g, " "), 200);
	return html`<details class="more"><summary dir="auto">${start}</summary><div class="said" dir="auto">${html.cut(whole, shownAtAll)}</div></details>`;
}

export function addOnce(list: string[], sentence: string): void {
	if (!list.includes(sentence)) list.push(sentence);
}

/** A chart in its two drawings, with a caption and a table of the same data. */
export function drawChart(
	{ html }: ReportPage,
	chart: {
		readonly wide: Markup;
		readonly narrow: Markup;
		readonly caption: HtmlContent;
		readonly table: Markup;
		/** Accessible name of the frame, which scrolls if a drawing is larger than the page. */
		readonly name: string;
	},
): Markup {
	const frame = (room: string, drawing: Markup): Markup =>
		html`<div class="frame ${room}" tabindex="0" role="region" aria-label="${chart.name}">${drawing}</div>`;
	return html`<figure class="chart">${frame("wide", chart.wide)}${frame("narrow", chart.narrow)}<figcaption>${chart.caption}</figcaption></figure><details class="data"><summary>Show as a table</summary>${chart.table}</details>`;
}

/** A legend entry: a mark with its meaning. */
export function drawKey(html: Html, sign: Markup, words: string): Markup {
	return html`<span class="key">${sign} ${words}</span>`;
}
