// The page of the run view with the child runs of all visits. Pure.
import { dim, type Line, plain, type StyledText } from "../../../tui/index.ts";
import type { Run, RunHistory, VisitChild } from "../../core/index.ts";
import { marks, titleOf, visitChildLine } from "../timeline/index.ts";

/** The children of all visits, in the order in which they were planned. */
export function childrenOf({ visits }: RunHistory): readonly VisitChild[] {
	return visits.flatMap(({ children }) => children);
}

/** A line per child, below a line per visit with children. `selected`: index among the children of all visits. */
export function childrenPage(
	{ visits }: RunHistory,
	run: Run,
	selected: number,
): { readonly lines: readonly Line[]; readonly marks: readonly number[]; readonly focus?: number } {
	const lines: Line[] = [];
	const heads: number[] = [];
	let number = 0;
	let focus: number | undefined;
	for (const { number: visit, state, children, undone } of visits) {
		if (children.length === 0) continue;
		heads.push(lines.length);
		lines.push([
			dim(`${visit}. `),
			{ text: titleOf(state), tone: "accent" },
			...(undone ? [dim(` ${marks.undone} undone`)] : []),
		]);
		const working = visit === run.visit && run.stage.kind === "children";
		for (const child of children) {
			const isSelected = number === selected;
			if (isSelected) focus = lines.length;
			lines.push(childRow(child, working, isSelected));
			number += 1;
		}
	}
	return { lines, marks: heads, ...(focus === undefined ? {} : { focus }) };
}

function childRow(child: VisitChild, working: boolean, isSelected: boolean): Line {
	const { mark, text, tone } = visitChildLine(child, working);
	const shown: StyledText = tone === "plain" ? plain(`${mark} ${text}`) : { text: `${mark} ${text}`, tone };
	return [isSelected ? { text: " › ", tone: "accent" } : plain("   "), shown];
}
