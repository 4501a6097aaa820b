// A scrolling window over lines that exceed the screen, and its keys: those of pi's lists, and the usual letters of pagers. While it follows, the last
// row is shown whatever is added. Only visible lines are painted: a long text costs one measurement of its lines' widths for each screen width.

import type { KeybindingsManager } from "@earendil-works/pi-coding-agent";
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
	/** Replaces the lines. `dress` colors a line when it is shown, if coloring all lines costs too much; the text must stay the same. */
	set(lines: readonly Line[], dress?: (index: number) => Line): void;
	count(width: number): number;
	/** Exactly `height` rows, none wider than `width`. */
	rows(width: number, height: number): string[];
	/** Scrolls by rows; after reaching the end, the window follows it. */
	scroll(by: number): void;
	toStart(): void;
	toEnd(): void;
	toLine(index: number): void;
	topLine(): number;
	/** Rows available at the last drawing. */
	readonly height: number;
	lineCount(): number;
	/** Whether lines are cut on the right or scrolled sideways. */
	isCut(width: number): boolean;
	/** Scrolls cut lines sideways by columns; returns whether anything moved. */
	shift(by: number): boolean;
	/** `3–20 of 87`; empty if everything is shown. */
	position(): string;
}

interface Measured {
	readonly width: number;
	/** The first row of each line. */
	readonly starts: readonly number[];
	readonly rows: number;
}

/** Opens an empty window. `follow`: it starts at the end and stays there. `long`: the treatment of a line that does not fit. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one closure over the state of one window, of short functions
export function openWindow(paint: Paint, follow: boolean, long: "wrapped" | "cut" = "wrapped"): Window {
	let lines: readonly Line[] = [];
	let dressed: ((index: number) => Line) | undefined;
	let top = 0;
	let following = follow;
	let height = 1;
	let measured: Measured | undefined;
	/** Columns that cut lines are scrolled sideways. */
	let aside = 0;
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
		// After a change of width, the same line stays at the top.
		if (at !== undefined) top = starts[at] ?? 0;
		return measured;
	};
	const lastTop = (): number => Math.max(0, (measured?.rows ?? 0) - height);
	const moveTo = (row: number): void => {
		top = Math.max(0, Math.min(row, lastTop()));
		following = top >= lastTop();
	};
	const painted = (index: number, width: number): string[] => {
		const line = dressed?.(index) ?? lines[index] ?? [];
		return long === "cut" ? [paintLine(fitLine(sliceLine(line, aside), width), paint)] : paintRows(line, width, paint);
	};
	const widest = (): number => {
		columns ??= lines.reduce((widest, line) => Math.max(widest, lineWidth(line)), 0);
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
			top = Math.max(0, Math.min(top, lastTop()));
		},
		count: (width) => measure(width).rows,
		rows(width, wanted) {
			height = Math.max(1, wanted);
			const { starts, rows } = measure(width);
			top = following ? lastTop() : Math.min(top, lastTop());
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

export type ScreenKeys = Pick<KeybindingsManager, "matches">;

/** Whether the key closes a screen. */
export function closes(data: string, keybindings: ScreenKeys): boolean {
	return data === "q" || keybindings.matches(data, "tui.select.cancel");
}

/** Scrolls the window if the key is a scroll key; returns whether it is one. */
export function moveByKey(window: Window, data: string, keybindings: ScreenKeys): boolean {
	const page = Math.max(1, window.height - 1);
	if (data === "k" || keybindings.matches(data, "tui.select.up")) window.scroll(-1);
	else if (data === "j" || keybindings.matches(data, "tui.select.down")) window.scroll(1);
	else if (keybindings.matches(data, "tui.select.pageUp")) window.scroll(-page);
	else if (data === " " || keybindings.matches(data, "tui.select.pageDown")) window.scroll(page);
	else if (data === "g" || keybindings.matches(data, "tui.editor.cursorLineStart")) window.toStart();
	else if (data === "G" || keybindings.matches(data, "tui.editor.cursorLineEnd")) window.toEnd();
	else return false;
	return true;
}

/** Jumps to the next or previous of these lines; returns whether the key is n or p. */
export function jumpByKey(window: Window, lines: readonly number[], data: string): boolean {
	if (data !== "n" && data !== "p") return false;
	const top = window.topLine();
	const target = data === "n" ? lines.find((line) => line > top) : (lines.findLast((line) => line < top) ?? 0);
	if (target !== undefined) window.toLine(target);
	return true;
}

const sidewaysColumns = 8;

/** Scrolls a window with cut lines sideways; returns whether it moved. */
export function shiftByKey(window: Window, data: string, keybindings: ScreenKeys): boolean {
	if (keybindings.matches(data, "tui.editor.cursorLeft")) return window.shift(-sidewaysColumns);
	return keybindings.matches(data, "tui.editor.cursorRight") && window.shift(sidewaysColumns);
}
