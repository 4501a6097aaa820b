// Tables of the report. On a narrow page every row becomes a card whose cells show the names of their columns; the roles keep it a table for
// screen readers. Pure.
import type { Html, HtmlContent, Markup } from "./markup.ts";

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
	readonly rows: readonly Row[];
	readonly rowId?: (row: Row) => string;
	readonly rowClass?: (row: Row) => string | undefined;
	/** Shown instead of a table without rows. */
	readonly empty?: string;
}

export function drawTable<Row>(html: Html, table: TableOptions<Row>): Markup {
	const { caption, columns, rows, rowId, rowClass, empty } = table;
	if (rows.length === 0 && empty !== undefined) return html`<p class="dim">${empty}</p>`;
	const head = columns.map(
		({ name, kind }) => html`<th role="columnheader" scope="col" class="${kind ?? "line"}">${name}</th>`,
	);
	const body = rows.map((row) => {
		const cells = columns.map(({ name, of, kind = "line" }, index) =>
			index === 0
				? html`<th role="rowheader" scope="row" data-name="${name}" class="${kind}">${of(row)}</th>`
				: html`<td role="cell" data-name="${name}" class="${kind}">${of(row)}</td>`,
		);
		const id = rowId ? html` id="${rowId(row)}"` : undefined;
		const own = rowClass?.(row);
		return html`<tr role="row"${id}${own === undefined ? undefined : html` class="${own}"`}>${cells}</tr>`;
	});
	return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table role="table"><caption>${caption}</caption><thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">${body}</tbody></table></div>`;
}

/** The first and the last rows of a long list, and the number of rows left out. */
export function ends<Row>(
	rows: readonly Row[],
	first: number,
	last: number,
): { rows: readonly Row[]; leftOut: number } {
	if (rows.length <= first + last) return { rows, leftOut: 0 };
	return { rows: [...rows.slice(0, first), ...rows.slice(rows.length - last)], leftOut: rows.length - first - last };
}
