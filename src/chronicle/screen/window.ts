// A window over lines that are longer and more than the screen: where it stands, and moving it. Drawn rows are kept until the lines, the
// width or the colours change. N1 while it follows, the last row is shown whatever comes.
import { fitLine, type Line, type Paint, paintLine, paintRows } from "./line.ts";

export interface Window {
	/** Shows other lines. */
	set(lines: readonly Line[]): void;
	/** Rows that all of it takes. */
	count(width: number): number;
	/** Exactly `height` rows, none wider than `width`. */
	rows(width: number, height: number): string[];
	/** Moves by rows; one that reaches the end follows from there. */
	scroll(by: number): void;
	toStart(): void;
	toEnd(): void;
	/** Puts a line at the top. */
	toLine(index: number): void;
	/** The first line that is shown. */
	topLine(): number;
	/** Rows that the last drawing had room for. */
	readonly height: number;
	/** ` · 3–20 of 87`; empty where everything is shown. */
	position(): string;
	/** Colours have changed. */
	invalidate(): void;
}

/** Opens a window over nothing. `follow`: it begins at the end and stays there. `long`: what happens to a line that does not fit. */
export function openWindow(paint: Paint, follow: boolean, long: "wrapped" | "cut" = "wrapped"): Window {
	let lines: readonly Line[] = [];
	let top = 0;
	let following = follow;
	let height = 1;
	let drawn:
		| { readonly width: number; readonly rows: readonly string[]; readonly starts: readonly number[] }
		| undefined;

	const draw = (width: number) => {
		if (drawn?.width === width) return drawn;
		const at = drawn === undefined ? undefined : lineAt(drawn.starts, top);
		const rows: string[] = [];
		const starts: number[] = [];
		for (const line of lines) {
			starts.push(rows.length);
			if (long === "cut") rows.push(paintLine(fitLine(line, width), paint));
			else for (const row of paintRows(line, width, paint)) rows.push(row);
		}
		drawn = { width, rows, starts };
		// Another width: what was at the top stays there.
		if (at !== undefined) top = starts[at] ?? 0;
		return drawn;
	};
	const most = (): number => Math.max(0, (drawn?.rows.length ?? 0) - height);
	const moveTo = (row: number): void => {
		top = Math.max(0, Math.min(row, most()));
		following = top >= most();
	};

	return {
		set(next) {
			lines = next;
			const width = drawn?.width;
			drawn = undefined;
			if (width !== undefined) draw(width);
			top = Math.max(0, Math.min(top, most()));
		},
		count: (width) => draw(width).rows.length,
		rows(width, rowsWanted) {
			height = Math.max(1, rowsWanted);
			const { rows } = draw(width);
			top = following ? most() : Math.min(top, most());
			const shown = rows.slice(top, top + height);
			return [...shown, ...Array.from({ length: height - shown.length }, () => "")];
		},
		scroll: (by) => moveTo(top + by),
		toStart: () => moveTo(0),
		toEnd: () => moveTo(Number.MAX_SAFE_INTEGER),
		toLine(index) {
			moveTo(drawn?.starts[index] ?? 0);
			following = false;
		},
		topLine: () => lineAt(drawn?.starts ?? [], top),
		get height() {
			return height;
		},
		position() {
			const all = drawn?.rows.length ?? 0;
			return all > height ? ` · ${top + 1}–${Math.min(all, top + height)} of ${all}` : "";
		},
		invalidate() {
			const width = drawn?.width;
			drawn = undefined;
			if (width !== undefined) draw(width);
		},
	};
}

/** The line that the row belongs to. */
function lineAt(starts: readonly number[], row: number): number {
	let low = 0;
	let high = starts.length;
	while (low + 1 < high) {
		const middle = (low + high) >> 1;
		if ((starts[middle] ?? 0) <= row) low = middle;
		else high = middle;
	}
	return low;
}
