// A window over lines that are longer and more than the screen: where it stands, and moving it. N1 while it follows, the last row is shown
// whatever comes; N2 only what is shown is painted: a long text costs a look at its lines' widths, once for each width of the screen.
import {
	cleanLine,
	fitLine,
	type Line,
	lineWidth,
	type Paint,
	paintLine,
	paintRows,
	rowCount,
	sliceLine,
} from "./line.ts";

export interface Window {
	/** Shows other lines. `dress` gives a line as it is shown, with colours that are too dear for all of them; of the same text. */
	set(lines: readonly Line[], dress?: (index: number) => Line): void;
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
	/** Lines that it holds. */
	lineCount(): number;
	/** Whether lines are cut on the right, or have been moved to the left. */
	isCut(width: number): boolean;
	/** Moves sideways by columns, where lines are cut; whether there was anything to move. */
	shift(by: number): boolean;
	/** `3–20 of 87`; empty where everything is shown. */
	position(): string;
}

interface Measured {
	readonly width: number;
	/** The row at which each line begins. */
	readonly starts: readonly number[];
	readonly rows: number;
}

/** Opens a window over nothing. `follow`: it begins at the end and stays there. `long`: what happens to a line that does not fit. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one closure over the state of one window, of short functions
export function openWindow(paint: Paint, follow: boolean, long: "wrapped" | "cut" = "wrapped"): Window {
	let lines: readonly Line[] = [];
	let dressed: ((index: number) => Line) | undefined;
	let top = 0;
	let following = follow;
	let height = 1;
	let measured: Measured | undefined;
	/** Columns that cut lines have been moved to the left. */
	let aside = 0;
	/** Of the widest line. */
	let columns: number | undefined;

	const measure = (width: number): Measured => {
		if (measured?.width === width) return measured;
		const at = measured === undefined ? undefined : lineAt(measured.starts, top);
		const starts: number[] = [];
		let rows = 0;
		for (const line of lines) {
			starts.push(rows);
			rows += long === "cut" ? 1 : rowCount(line, width);
		}
		measured = { width, starts, rows };
		// Another width: what was at the top stays there.
		if (at !== undefined) top = starts[at] ?? 0;
		return measured;
	};
	const most = (): number => Math.max(0, (measured?.rows ?? 0) - height);
	const moveTo = (row: number): void => {
		top = Math.max(0, Math.min(row, most()));
		following = top >= most();
	};
	const painted = (index: number, width: number): string[] => {
		const line = dressed?.(index) ?? lines[index] ?? [];
		return long === "cut" ? [paintLine(fitLine(sliceLine(line, aside), width), paint)] : paintRows(line, width, paint);
	};
	const widest = (): number => {
		columns ??= lines.reduce((most, line) => Math.max(most, lineWidth(line)), 0);
		return columns;
	};

	return {
		set(next, dress) {
			lines = next.map(cleanLine);
			dressed = dress;
			columns = undefined;
			const width = measured?.width;
			measured = undefined;
			if (width !== undefined) measure(width);
			top = Math.max(0, Math.min(top, most()));
		},
		count: (width) => measure(width).rows,
		rows(width, wanted) {
			height = Math.max(1, wanted);
			const { starts, rows } = measure(width);
			top = following ? most() : Math.min(top, most());
			const shown: string[] = [];
			for (let index = lineAt(starts, top); index < lines.length && shown.length < height; index += 1) {
				const start = starts[index] ?? 0;
				const own = painted(index, width);
				for (let row = Math.max(start, top); row < (starts[index + 1] ?? rows); row += 1)
					shown.push(own[row - start] ?? "");
			}
			return Array.from({ length: height }, (_, row) => shown[row] ?? "");
		},
		scroll: (by) => moveTo(top + by),
		toStart: () => moveTo(0),
		toEnd: () => moveTo(Number.MAX_SAFE_INTEGER),
		toLine(index) {
			moveTo(measured?.starts[index] ?? 0);
			following = false;
		},
		topLine: () => lineAt(measured?.starts ?? [], top),
		get height() {
			return height;
		},
		lineCount: () => lines.length,
		isCut: (width) => long === "cut" && (aside > 0 || widest() > width),
		shift(by) {
			if (long !== "cut") return false;
			const before = aside;
			aside = Math.max(0, Math.min(aside + by, widest() - (measured?.width ?? 0)));
			return aside !== before;
		},
		position() {
			const all = measured?.rows ?? 0;
			return all > height ? `${top + 1}–${Math.min(all, top + height)} of ${all}` : "";
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
