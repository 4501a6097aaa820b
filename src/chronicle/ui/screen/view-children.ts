// The page of the run view with the child runs of all visits. Pure.
import { dim, fitLine, type Line, lineWidth, plain, type StyledText, wrapText } from "../../../tui/index.ts";
import type { Run, RunHistory, Visit, VisitChild } from "../../core/index.ts";
import { type ChildCells, choiceText, marks, titleOf, visitChildCells } from "../timeline/index.ts";

/** Columns of a name, so that a row with all figures fits 80 columns. */
const maxName = 34;
/** Columns of a reason, below its row. */
const reasonWidth = 70;

/** The children of all visits, in the order in which they were planned. */
export function childrenOf({ visits }: RunHistory): readonly VisitChild[] {
	return visits.flatMap(({ children }) => children);
}

/** A row per child, below a line per visit with children. `selected`: index among the children of all visits; the reason of its state follows. */
export function childrenPage(
	{ visits }: RunHistory,
	run: Run,
	selected: number,
): { readonly lines: readonly Line[]; readonly marks: readonly number[]; readonly focus?: number } {
	const lines: Line[] = [];
	const heads: number[] = [];
	let number = 0;
	let focus: number | undefined;
	for (const each of visits.filter(({ children }) => children.length > 0)) {
		const { number: visit, children, choice } = each;
		heads.push(lines.length);
		lines.push(headOf(each));
		const working = visit === run.visit && run.stage.kind === "children";
		const rows = children.map((child) => visitChildCells(child, working, choice));
		const widths = widthsOf(rows);
		for (const cells of rows) {
			const isSelected = number === selected;
			if (isSelected) focus = lines.length;
			lines.push(childRow(cells, widths, isSelected));
			if (isSelected) lines.push(...reasonLines(cells));
			number += 1;
		}
		lines.push(...choiceLines(choice));
	}
	return { lines, marks: heads, ...(focus === undefined ? {} : { focus }) };
}

function headOf({ number, state, undone }: Visit): Line {
	return [
		dim(`${number}. `),
		{ text: titleOf(state), tone: "accent" },
		...(undone ? [dim(` ${marks.undone} undone`)] : []),
	];
}

/** Which of the children was taken. */
function choiceLines(choice: Visit["choice"]): readonly Line[] {
	return choice ? [[dim(`   ${choiceText(choice)}`)]] : [];
}

type Columns = Readonly<Record<"name" | "doing" | "time" | "cost", number>>;

function widthsOf(rows: readonly ChildCells[]): Columns {
	const widest = (column: keyof Columns): number =>
		Math.max(0, ...rows.map((cells) => lineWidth([plain(cells[column])])));
	return {
		name: Math.min(maxName, widest("name")),
		doing: widest("doing"),
		time: widest("time"),
		cost: widest("cost"),
	};
}

function childRow(cells: ChildCells, widths: Columns, isSelected: boolean): Line {
	const { mark, tone, name, doing, time, cost, id, why } = cells;
	const shown = `${mark} ${padded(name, widths.name)}  ${padded(doing, widths.doing)}`;
	const figures = `${time.padStart(widths.time)}  ${cost.padStart(widths.cost)}`;
	const head: StyledText = tone === "plain" ? plain(shown) : { text: shown, tone };
	// The selected one has its reason below.
	const more = isSelected ? "" : `  ${why}`.trimEnd();
	return [isSelected ? { text: " › ", tone: "accent" } : plain("   "), head, dim(`  ${figures}  ${id}${more}`)];
}

function reasonLines({ why }: ChildCells): readonly Line[] {
	if (why === "") return [];
	return wrapText(dim(why), reasonWidth).map((line) => [plain("     "), ...line]);
}

/** The text in exactly `width` columns. */
function padded(text: string, width: number): string {
	const fitted = fitLine([plain(text)], width);
	return `${fitted.map((part) => part.text).join("")}${" ".repeat(Math.max(0, width - lineWidth(fitted)))}`;
}
