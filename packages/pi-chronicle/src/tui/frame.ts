// The frame of a screen: a rule with the title above; a rule and the keys below. Pure.
import { visibleWidth } from "@earendil-works/pi-tui";
import { dim, fitLine, type Line, lineWidth, type Paint, paintLine } from "./line.ts";

/** Rows of the frame itself. */
export const frameRows = 3;
/** Columns of its upper rule outside the title: `── ` and ` `. */
export const ruleColumns = 4;

export interface Frame {
	readonly title: Line;
	/** Text in the rule below the body: the window's position. */
	readonly foot: string;
	/** Key hints, most important first; the last ones are dropped if there is no room. */
	readonly keys: readonly string[];
}

/** Frames the body; no row is wider than `width`. */
export function frame({ title, foot, keys }: Frame, body: readonly string[], width: number, paint: Paint): string[] {
	const head = title.length === 0 ? [] : fitLine([dim("── "), ...title, dim(" ")], width);
	const end = fitLine([dim(foot === "" ? "" : `── ${foot} `)], width);
	return [
		ruledLine(head, width, paint),
		...body,
		ruledLine(end, width, paint),
		paintLine(fitLine([dim(hints(keys, width))], width), paint),
	];
}

function ruledLine(line: Line, width: number, paint: Paint): string {
	const rest = width - lineWidth(line);
	return paintLine(rest > 0 ? [...line, dim("─".repeat(rest))] : line, paint);
}

function hints(keys: readonly string[], width: number): string {
	const shown: string[] = [];
	for (const key of keys) {
		if (visibleWidth([...shown, key].join(" · ")) > width) break;
		shown.push(key);
	}
	return shown.join(" · ");
}
