// Breaks lines for a terminal: between words, with the rest indented below the text that it belongs to. Pure.
import { columnsOf } from "../../../pi/index.ts";

/** The line as rows of at most `columns` columns; a word that is longer than a row is not broken. */
export function wrapHanging(line: string, columns: number): string[] {
	if (columnsOf(line) <= columns) return [line];
	const indent = indentOf(line, columns);
	const head = line.slice(0, indent.length);
	const rows: string[] = [];
	let row = head;
	for (const word of line.slice(indent.length).split(" ")) {
		const joined =
			row === head && rows.length === 0 ? head + word : row === indent.blanks ? row + word : `${row} ${word}`;
		if (columnsOf(joined) > columns && row.trim() !== "" && row !== head) {
			rows.push(row);
			row = indent.blanks + word;
		} else row = joined;
	}
	rows.push(row);
	return rows;
}

/** Indentation of continuation rows: below the second column of a line with columns, otherwise below the line's own start. */
function indentOf(line: string, columns: number): { readonly length: number; readonly blanks: string } {
	const blanksAtStart = /^ */.exec(line)?.[0].length ?? 0;
	const column = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(line)?.[0].length ?? 0;
	const length = column > 0 && column <= columns / 2 ? column : blanksAtStart;
	return { length, blanks: " ".repeat(columnsOf(line.slice(0, length))) };
}
