// The frame of a screen of ours: a rule with its title above, a rule and its keys below. Pure.
import { visibleWidth } from "@earendil-works/pi-tui";
import { dim, fitLine, type Line, lineWidth, type Paint, paintLine } from "./line.ts";

/** Rows that the frame itself takes. */
export const frameRows = 3;

export interface Frame {
	readonly title: Line;
	/** Below the body, in its rule: where the window stands. */
	readonly foot: string;
	/** What the keys do, most important first; those at the end go where there is no room. */
	readonly keys: readonly string[];
}

/** The body with its frame around it, no row wider than `width`. */
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

/** As many of the hints as there is room for. */
export function hints(keys: readonly string[], width: number): string {
	const shown: string[] = [];
	for (const key of keys) {
		if (visibleWidth([...shown, key].join(" · ")) > width) break;
		shown.push(key);
	}
	return shown.join(" · ");
}
