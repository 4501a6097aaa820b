// The frame of a screen: a rule with the title above, a rule and the keys below. Pure.
import { visibleWidth } from "@earendil-works/pi-tui";
import { dim, fitLine, type Line, lineWidth, type Paint, paintLine } from "./line.ts";

/** Rows that the frame itself takes. */
export const frameRows = 3;

export interface Frame {
	readonly title: Line;
	/** Below the body, in its rule: where the window stands. */
	readonly foot: string;
	/** Hints for keys, most important first; the last ones are dropped if there is no room. */
	readonly keys: readonly string[];
}

/** The framed body, no row wider than `width`. */
export function frame({ title, foot, keys }: Frame, body: readonly string[], width: number, paint: Paint): string[] {
	const head = title.length === 0 ? [] : fitLine([dim("── "), ...title, dim(" ")], width);
	const end = fitLine([dim(foot === "" ? "" : `── ${foot} `)], width);
	return [
		ruled(head, width, paint),
		...body,
		ruled(end, width, paint),
		paintLine(fitLine([dim(hints(keys, width))], width), paint),
	];
}

function ruled(line: Line, width: number, paint: Paint): string {
	const rest = width - lineWidth(line);
	return paintLine(rest > 0 ? [...line, dim("─".repeat(rest))] : line, paint);
}

/** As many hints as fit. */
export function hints(keys: readonly string[], width: number): string {
	const shown: string[] = [];
	for (const key of keys) {
		if (visibleWidth([...shown, key].join(" · ")) > width) break;
		shown.push(key);
	}
	return shown.join(" · ");
}
