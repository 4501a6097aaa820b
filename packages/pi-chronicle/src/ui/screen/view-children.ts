// The page of the run view with the child runs of all visits. Its columns depend on the width. Pure.

import type { RunHistory, Visit, VisitChild } from "@pi-chronicle/core/history";
import { inOrderOfNeeds, type Run } from "@pi-chronicle/core/machine";
import { dim, fitLine, type Line, lineWidth, plain, type StyledText, wrapText } from "../../tui/index.ts";
import { type ChildCells, choiceText, marks, needsText, titleOf, visitChildCells } from "../phrases/index.ts";

/** Below this width, what a child does has a row of its own. */
const narrow = 60;
/** Columns before the name: the selection and the mark. */
const indent = 5;
const gap = 2;
const reasonIndent = 5;
/** Columns of a reason, below its row. */
const reasonWidth = 70;
const minName = 10;
/** Deeper children are not indented further. */
const maxDepth = 8;
/** Columns that a reason gets before other columns are shown. */
const wantedReason = 30;

/** Lines of a page, from the first to the last. */
export interface FocusedLines {
	readonly first: number;
	readonly last: number;
}

/** The children of all visits, in the order in which they were planned, each after those that it needs. */
export function childrenOf({ visits }: RunHistory): readonly VisitChild[] {
	return visits.flatMap(({ children }) => inOrderOfNeeds(children).map(({ child }) => child));
}

/**
 * A row per child, below a line per visit with children. `selected`: index among the children of all visits; the reason of its state follows.
 * No line is wider than `width` columns. `now` is ISO 8601.
 */
export function childrenPage(
	{ visits }: RunHistory,
	run: Run,
	selected: number,
	{ width, now }: { readonly width: number; readonly now: string },
): { readonly lines: readonly Line[]; readonly marks: readonly number[]; readonly focus?: FocusedLines } {
	const lines: Line[] = [];
	const heads: number[] = [];
	let number = 0;
	let focus: FocusedLines | undefined;
	for (const each of visits.filter(({ children }) => children.length > 0)) {
		const { number: visit, children, choice } = each;
		heads.push(lines.length);
		lines.push(headOf(each));
		const workingAt = visit === run.visit && run.stage.kind === "children" ? now : undefined;
		const rows = inOrderOfNeeds(children).map(({ child, depth }) => {
			const cells = visitChildCells(child, workingAt, { choice, all: children });
			const needs = needsText(children, child);
			return { ...cells, name: `${branchOf(depth)}${cells.name}`, needs };
		});
		const columns = chooseColumns(rows, width);
		for (const cells of rows) {
			const first = lines.length;
			lines.push(...(number === selected ? selectedRows(cells, columns, width) : childRows(cells, columns)));
			if (number === selected) focus = { first, last: lines.length - 1 };
			number += 1;
		}
		lines.push(...choiceLines(choice));
	}
	const fitted = lines.map((line) => fitLine(line, width));
	return { lines: fitted, marks: heads, focus };
}

/** The place of a child in the graph: it is indented below those that it needs. */
function branchOf(depth: number): string {
	return depth === 0 ? "" : `${"  ".repeat(Math.min(depth, maxDepth) - 1)}└ `;
}

function headOf({ number, state, undone }: Visit): Line {
	return [
		dim(`${number}. `),
		{ text: titleOf(state), tone: "accent" },
		...(undone ? [dim(` ${marks.undone} undone`)] : []),
	];
}

function choiceLines(choice: Visit["choice"]): readonly Line[] {
	return choice ? [[dim(`   ${choiceText(choice)}`)]] : [];
}

type ChildFigure = "time" | "cost" | "id";

interface Columns {
	readonly widths: Readonly<Record<"name" | "doing" | ChildFigure, number>>;
	readonly figures: readonly ChildFigure[];
	/** Columns of the reason; 0: it has a row of its own. */
	readonly reason: number;
}

/** The first of these that leave enough columns for the name and the reason are shown. */
const choices: readonly (readonly ChildFigure[])[] = [["time", "cost", "id"], ["time", "cost"], ["cost"], []];

function chooseColumns(rows: readonly ChildCells[], width: number): Columns {
	const widest = (column: keyof ChildCells): number =>
		Math.max(0, ...rows.map((cells) => lineWidth([plain(cells[column])])));
	const widths = { doing: widest("doing"), time: widest("time"), cost: widest("cost"), id: widest("id") };
	const hasReasons = width >= narrow && widest("why") > 0;
	const reason = hasReasons ? gap + Math.min(wantedReason, widest("why")) : 0;
	const room = (figures: readonly ChildFigure[]): number =>
		width - indent - gap - widths.doing - figures.reduce((sum, figure) => sum + gap + widths[figure], 0);
	const figures = choices.find((some) => room(some) >= reason + Math.min(widest("name"), 2 * minName)) ?? [];
	const name = Math.min(widest("name"), Math.max(minName, room(figures) - reason));
	return { widths: { name, ...widths }, figures, reason: hasReasons ? Math.max(0, room(figures) - name - gap) : 0 };
}

function childRows(cells: ChildCells, columns: Columns): readonly Line[] {
	const { why, shortWhy } = cells;
	if (columns.reason === 0)
		return [rowOf(cells, columns, " "), ...(why === "" ? [] : [[dim(`${" ".repeat(reasonIndent)}${why}`)]])];
	const fits = lineWidth([plain(why)]) <= columns.reason;
	return [[...rowOf(cells, columns, " "), dim(`  ${fits ? why : shortWhy}`.trimEnd())]];
}

/** The row of the selected child, with its reason and the figures that the row does not have. */
function selectedRows(
	cells: ChildCells & { readonly needs: string },
	columns: Columns,
	width: number,
): readonly Line[] {
	const left = (["time", "cost", "id"] as const).filter((figure) => !columns.figures.includes(figure));
	const figures = left.map((figure) => cells[figure]).filter((text) => text !== "");
	const texts = [
		...[cells.why, cells.needs].filter((text) => text !== ""),
		...(figures.length === 0 ? [] : [figures.join(" · ")]),
	];
	const room = Math.min(reasonWidth, width - reasonIndent);
	const below = texts.flatMap((text) => wrapText(dim(text), room));
	return [rowOf(cells, columns, "›"), ...below.map((line): Line => [plain(" ".repeat(reasonIndent)), ...line])];
}

function rowOf(cells: ChildCells, { widths, figures }: Columns, sign: " " | "›"): Line {
	const { mark, tone, name, doing } = cells;
	const shown = `${mark} ${padded(name, widths.name)}  ${padded(doing, widths.doing)}`;
	const head: StyledText = tone === "plain" ? plain(shown) : { text: shown, tone };
	const row = figures.map((figure) => `  ${cells[figure].padStart(widths[figure])}`).join("");
	return [sign === "›" ? { text: " › ", tone: "accent" } : plain("   "), head, dim(row)];
}

/** The text in exactly `width` columns. */
function padded(text: string, width: number): string {
	const fitted = fitLine([plain(text)], width);
	return `${fitted.map((part) => part.text).join("")}${" ".repeat(Math.max(0, width - lineWidth(fitted)))}`;
}
