// Formats figures for one line, and lays them out in columns. Pure.
import { shortCount } from "@pi-chronicle/core/definition";
import { hangingIndent } from "../../tui/text.ts";

export { exactTime, percent, setTime, shortCost, shortCount, shortTime } from "@pi-chronicle/core/definition";

/** A bar of `cells` cells for a share from 0 to 1; anything above fills it. */
export function bar(share: number, cells = 8): string {
	const full = Math.min(cells, Math.max(0, Math.floor(share * cells)));
	return "▰".repeat(full) + "▱".repeat(cells - full);
}

/** Rows with their cells in columns; the first column is left-aligned, the others right-aligned. Empty cells at the end are dropped. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
	const widths: number[] = [];
	for (const row of rows)
		for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, columnsOf(cell));
	return rows.map((row) =>
		row
			.map((cell, column) => {
				const blanks = " ".repeat((widths[column] ?? 0) - columnsOf(cell));
				return column === 0 ? cell + blanks : blanks + cell;
			})
			.join("  ")
			.trimEnd(),
	);
}

/** Wide characters take two columns of a terminal, combining ones none. */
const wide =
	/[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/u;

/** Columns that a text takes in a terminal, without pi's terminal library, which the command line may lack. */
export function columnsOf(text: string): number {
	if (/^[ -~]*$/.test(text)) return text.length;
	let columns = 0;
	for (const { segment } of new Intl.Segmenter().segment(text)) columns += wide.test(segment) ? 2 : 1;
	return columns;
}

/** The width of a terminal, which may not know it and says 0. */
export function columnsIn({ columns }: Pick<NodeJS.WriteStream, "columns">): number {
	return columns || 80;
}

/** The text for `stream`: on a terminal, lines are broken between words. */
export function fitText(text: string, stream: Pick<NodeJS.WriteStream, "columns" | "isTTY">): string {
	if (!stream.isTTY) return text;
	const rows = text.split("\n").flatMap((line) => wrapHanging(line, columnsIn(stream)));
	return rows.join("\n");
}

/** The line as rows of at most `columns` columns; a word that is longer than a row is not broken. */
export function wrapHanging(line: string, columns: number): string[] {
	if (columnsOf(line) <= columns) return [line];
	const head = line.slice(0, hangingIndent(line, columns, columnsOf));
	const blanks = " ".repeat(columnsOf(head));
	const rows: string[] = [];
	let row = head;
	for (const word of line.slice(head.length).split(" ")) {
		const isStart = row === head && rows.length === 0;
		const joined = isStart ? head + word : row === blanks ? row + word : `${row} ${word}`;
		if (columnsOf(joined) > columns && row.trim() !== "" && row !== head) {
			rows.push(row);
			row = blanks + word;
		} else row = joined;
	}
	rows.push(row);
	return rows;
}

/** Characters of a task that a message shows. */
const longestTask = 600;

/** A task for a message: a long one is cut, and `whole` says where all of it is. */
export function shortTask(task: string, whole: string): string {
	const text = task.trim();
	if (text.length <= longestTask) return text;
	return `${text.slice(0, longestTask).trimEnd()} … (${shortCount(text.length)} characters; ${whole})`;
}
