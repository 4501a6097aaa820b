// A terminal screen as data: lines of runs with equal style, taken from xterm's buffer; and the picture of it (SVG).
import type { IBufferCell, Terminal } from "@xterm/headless";

/** Colors are `#rrggbb`, `undefined` for the terminal's own. */
export interface Style {
	color?: string;
	background?: string;
	bold?: true;
	dim?: true;
	italic?: true;
	underline?: true;
	strike?: true;
}

/** Neighbouring cells with one style; `column` counts cells from 0, `cells` is the width. */
export interface Run {
	text: string;
	column: number;
	cells: number;
	style: Style;
}

export interface Snapshot {
	cols: number;
	rows: number;
	/** Plain lines, trailing blanks removed. */
	lines: string[];
	runs: Run[][];
}

/** What is on the terminal's screen now. */
export function snapshotOf(terminal: Terminal): Snapshot {
	const { cols, rows } = terminal;
	const buffer = terminal.buffer.active;
	const runs: Run[][] = [];
	const lines: string[] = [];
	for (let row = 0; row < rows; row++) {
		const line = buffer.getLine(buffer.viewportY + row);
		lines.push((line?.translateToString(true) ?? "").trimEnd());
		const parts: Run[] = [];
		for (let column = 0; line && column < cols; column++) {
			const cell = line.getCell(column);
			if (!cell || cell.getWidth() === 0) continue;
			const style = styleOf(cell);
			const last = parts.at(-1);
			const text = cell.getChars() || " ";
			if (last && JSON.stringify(last.style) === JSON.stringify(style)) {
				last.text += text;
				last.cells += cell.getWidth();
			} else parts.push({ text, column, cells: cell.getWidth(), style });
		}
		runs.push(parts);
	}
	return { cols, rows, lines, runs };
}

function styleOf(cell: IBufferCell): Style {
	const front = colorOf(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor());
	const back = colorOf(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor());
	const [color, background] = cell.isInverse() ? [back ?? paper, front ?? ink] : [front, back];
	return {
		...(color ? { color } : {}),
		...(background ? { background } : {}),
		...(cell.isBold() ? { bold: true } : {}),
		...(cell.isDim() ? { dim: true } : {}),
		...(cell.isItalic() ? { italic: true } : {}),
		...(cell.isUnderline() ? { underline: true } : {}),
		...(cell.isStrikethrough() ? { strike: true } : {}),
	};
}

const paper = "#16181d";
const ink = "#d7dae0";
const ansi = [
	...["#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf"],
	...["#5c6370", "#f08a92", "#b5e08c", "#f5d79b", "#82c7ff", "#dd9bf0", "#7fd4df", "#ffffff"],
];

function colorOf(isRgb: boolean, isPalette: boolean, value: number): string | undefined {
	if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
	if (!isPalette) return undefined;
	if (value < 16) return ansi[value];
	const hex = (level: number) => level.toString(16).padStart(2, "0");
	if (value >= 232) return `#${hex((value - 232) * 10 + 8).repeat(3)}`;
	const level = (step: number) => hex(step === 0 ? 0 : step * 40 + 55);
	const cube = value - 16;
	return `#${level(Math.floor(cube / 36))}${level(Math.floor(cube / 6) % 6)}${level(cube % 6)}`;
}

/** Draws a screen as SVG that needs no font but the reader's monospaced one. Blank lines above and below are left out. */
export function svgOf(screen: Snapshot, { title = "pi" }: { title?: string } = {}): string {
	const cell = { width: 8.4, height: 18 };
	const margin = 12;
	const first = Math.max(
		0,
		screen.lines.findIndex((line) => line !== ""),
	);
	const last = screen.lines.findLastIndex((line) => line !== "");
	const width = Math.ceil(screen.cols * cell.width + 2 * margin);
	const height = Math.ceil((last + 1 - first) * cell.height + 2 * margin);
	const number = (value: number) => Number(value.toFixed(1));
	const parts: string[] = [];
	for (const [row, runs] of screen.runs.slice(first, last + 1).entries()) {
		const top = margin + row * cell.height;
		for (const { text, column, cells, style } of runs) {
			const x = number(margin + column * cell.width);
			const length = number(cells * cell.width);
			if (style.background) {
				parts.push(
					`<rect x="${x}" y="${number(top)}" width="${length}" height="${cell.height}" fill="${style.background}"/>`,
				);
			}
			const words = text.trimEnd();
			if (words === "") continue;
			const marks = [
				...(style.color ? [`fill="${style.color}"`] : []),
				...(style.bold ? ['font-weight="bold"'] : []),
				...(style.italic ? ['font-style="italic"'] : []),
				...(style.dim ? ['opacity="0.6"'] : []),
				...(style.underline || style.strike
					? [`text-decoration="${style.underline ? "underline" : "line-through"}"`]
					: []),
			].join(" ");
			const y = number(top + cell.height - 5);
			parts.push(
				`<text x="${x}" y="${y}" textLength="${number((cells - text.length + words.length) * cell.width)}"${marks ? ` ${marks}` : ""} xml:space="preserve">${escaped(words)}</text>`,
			);
		}
	}
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
		`<title>${escaped(title)}</title>`,
		`<desc>${escaped(screen.lines.slice(first, last + 1).join("\n"))}</desc>`,
		`<rect width="${width}" height="${height}" rx="8" fill="${paper}"/>`,
		`<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${ink}">`,
		...parts,
		"</g>",
		"</svg>",
		"",
	].join("\n");
}

/** A text as XML. */
export function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
