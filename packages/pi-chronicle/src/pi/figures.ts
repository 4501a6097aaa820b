// Formats figures for one line: short, and the same everywhere. Pure.

/** `950`, `12.3k`, `2.1M`. */
export function shortCount(count: number): string {
	if (count < 1000) return String(Math.round(count));
	if (count < 999_950) return `${trimmed(count / 1000)}k`;
	return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
	return value >= 100 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, "");
}

/** US dollars: `$0.0042`, `$0.42`, `$12.30`. */
export function shortCost(usd: number): string {
	if (usd === 0) return "$0";
	return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** Milliseconds as `42s`, `4m10s`, `2h05m`, `3d04h`. */
export function shortTime(ms: number): string {
	const seconds = Math.floor(Math.max(0, ms) / 1000);
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	const two = (value: number) => String(value).padStart(2, "0");
	if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
	const hours = Math.floor(minutes / 60);
	if (hours < 24) return `${hours}h${two(minutes % 60)}m`;
	return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

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

/** Characters of a task that a message shows. */
const longestTask = 600;

/** A task for a message: a long one is cut, and `whole` says where all of it is. */
export function shortTask(task: string, whole: string): string {
	const text = task.trim();
	if (text.length <= longestTask) return text;
	return `${text.slice(0, longestTask).trimEnd()} … (${shortCount(text.length)} characters; ${whole})`;
}
