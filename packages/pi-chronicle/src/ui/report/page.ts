// The context of every section of the report, and the elements that sections share: times, texts, tables, drawings. Pure.
import { type Html, type HtmlContent, type Markup, trusted } from "./markup.ts";
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
	readonly links: PageLinks;
}

/** The addresses of what a page refers to: in a report, places in the same file. */
interface PageLinks {
	visit(number: number): string | Markup;
	/** `undefined`: the child has no page of its own. */
	child(id: string): string | Markup | undefined;
}

export interface Section {
	readonly id: string;
	readonly title: string;
	/** `undefined`: there is nothing to show, and the section is left out. */
	readonly content: HtmlContent;
}

/** Times, all in one time zone, which the report names once. */
export interface Moments {
	readonly zone: string;
	full(at: number): Markup;
	/** Without the day if all of the run was on one day. */
	short(at: number): Markup;
}

/** `zone`: an IANA name; an unknown name becomes UTC. */
export function openMoments(html: Html, zone: string, beganAt: number, endedAt: number): Moments {
	const known = knownZone(zone);
	const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
		new Intl.DateTimeFormat("en-GB", { timeZone: known, hourCycle: "h23", ...options });
	const day = format({ dateStyle: "medium" });
	const oneDay = day.format(beganAt) === day.format(endedAt);
	const shown =
		(shape: Intl.DateTimeFormat) =>
		(at: number): Markup =>
			Number.isFinite(at) && at > 0 && at < 8.64e15
				? html`<time datetime="${new Date(at).toISOString()}">${shape.format(at)}</time>`
				: trusted("unknown");
	return {
		zone: known,
		full: shown(format({ dateStyle: "medium", timeStyle: "short" })),
		short: shown(
			oneDay
				? format({ timeStyle: "medium" })
				: format({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }),
		),
	};
}

function knownZone(zone: string): string {
	try {
		return new Intl.DateTimeFormat("en-GB", { timeZone: zone }).resolvedOptions().timeZone;
	} catch {
		return "UTC";
	}
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

/** Rounds a number for an attribute of a drawing. */
export function px(value: number): number {
	return Number.isFinite(value) ? Math.round(value * 100) / 100 : 0;
}

/** The first and the last items of a long list, and the number of those left out after the first ones. */
export interface Ends<Item> {
	readonly first: readonly Item[];
	readonly last: readonly Item[];
	readonly leftOut: number;
}

export function endsOf<Item>(items: readonly Item[], first: number, last: number): Ends<Item> {
	if (items.length <= first + last) return { first: items, last: [], leftOut: 0 };
	return { first: items.slice(0, first), last: items.slice(-last), leftOut: items.length - first - last };
}

export interface Column<Row> {
	readonly name: string;
	readonly of: (row: Row) => HtmlContent;
	/** `number` is right-aligned, `words` may wrap and takes the available room; anything else stays on one line. */
	readonly kind?: "number" | "words";
}

export interface TableOptions<Row> {
	readonly caption: string;
	readonly columns: readonly Column<Row>[];
	/** The first column names the row. */
	readonly rows: Ends<Row> | readonly Row[];
	/** What a row is, in the plural, for the row that stands for those left out. */
	readonly what?: string;
	readonly rowId?: (row: Row) => string;
	readonly rowClass?: (row: Row) => string | undefined;
}

/**
 * A table. On a narrow page every row becomes a card whose cells show the names of their columns; the roles keep it a table for screen readers.
 * A row with their number stands where rows are left out.
 */
export function drawTable<Row>({ html }: Pick<ReportPage, "html">, table: TableOptions<Row>): Markup {
	const { caption, columns, rows, what = "rows", rowId, rowClass } = table;
	const { first, last, leftOut } = "first" in rows ? rows : endsOf(rows, rows.length, 0);
	const head = columns.map(
		({ name, kind }) => html`<th role="columnheader" scope="col" class="${kind ?? "line"}">${name}</th>`,
	);
	const drawRow = (row: Row): Markup => {
		const cells = columns.map(({ name, of, kind = "line" }, index) =>
			index === 0
				? html`<th role="rowheader" scope="row" data-name="${name}" class="${kind}">${of(row)}</th>`
				: html`<td role="cell" data-name="${name}" class="${kind}">${of(row)}</td>`,
		);
		const own = rowClass?.(row);
		return html`<tr role="row"${rowId && html` id="${rowId(row)}"`}${own === undefined ? undefined : html` class="${own}"`}>${cells}</tr>`;
	};
	const gap =
		leftOut === 0
			? undefined
			: html`<tr role="row"><td role="cell" class="gap" colspan="${columns.length}">… ${leftOut} ${what} are left out here …</td></tr>`;
	return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table role="table"><caption>${caption}</caption><thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">${first.map(drawRow)}${gap}${last.map(drawRow)}</tbody></table></div>`;
}
