// Breaks lines for a terminal: between words, with the rest indented below the text that it belongs to. Pure.
import { columnsOf, hangingIndent } from "../../../pi/index.ts";

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
