// The lanes of child runs below the bar of their visit in the chart of times: one per child, the first ones of many. Pure.
import type { Visit, VisitChild } from "../../core/index.ts";
import { shortCost, shortTime, takenOf } from "../timeline/index.ts";
import { statusWords } from "./children.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import type { ReportModel } from "./report-model.ts";
import { fitText, px } from "./svg.ts";
import type { TimeAxis } from "./time-axis.ts";

const laneHeight = 13;
/** Lanes of one visit; the table has the others. */
const maxLanes = 12;
/** From the top of the visit's bar to the first lane. */
export const laneStart = 19;

/** The room that the lanes of a visit take below its row. */
export function lanesHeight({ children }: Visit): number {
	if (children.length === 0) return 0;
	const lanes = Math.min(children.length, maxLanes) + (children.length > maxLanes ? 1 : 0);
	return lanes * laneHeight;
}

interface LaneRow {
	readonly report: ReportModel;
	readonly axis: TimeAxis;
	readonly wide: boolean;
	readonly left: number;
}

export function drawLanes(html: Html, { children, choice }: Visit, row: LaneRow, y: number): HtmlContent {
	if (children.length === 0) return undefined;
	const lanes = children
		.slice(0, maxLanes)
		.map((child, index) => drawLane(html, child, takenOf(child, choice), row, y + index * laneHeight));
	const more = children.length - maxLanes;
	const rest =
		more > 0
			? html`<text class="dim small" x="${px(row.wide ? 24 : row.left)}" y="${px(y + maxLanes * laneHeight + 9)}">… ${more} more children</text>`
			: undefined;
	return [...lanes, rest];
}

/** Its time from the first worker to its end, with its name on a wide page. */
function drawLane(
	html: Html,
	child: VisitChild,
	taken: ReturnType<typeof takenOf>,
	{ report, axis, wide, left }: LaneRow,
	y: number,
): Markup {
	const { name, status, beganAt, endedAt, total } = child;
	const until = endedAt ?? report.endedAt;
	const spent = `${shortTime(total.activeMs)}, ${shortCost(total.spend.costUsd)}`;
	const title = html.plain(`${name}: ${statusWords[status]}${taken === undefined ? "" : ` (${taken})`}, ${spent}`);
	const faulty = status === "failed" || status === "aborted";
	const from = axis.at(beganAt ?? until);
	const bar =
		beganAt === undefined
			? undefined
			: html`<rect class="${faulty ? "bar fault" : "bar"}" x="${px(from)}" y="${px(y + 2)}" width="${px(Math.max(2, axis.at(until) - from))}" height="8" rx="2"/>`;
	const label = wide
		? html`<text class="dim small" x="36" y="${px(y + 10)}">${fitText(html.plain(name), 11, left - 52)}</text>`
		: undefined;
	return html`<g class="lane"><title>${title}</title>${label}${bar}</g>`;
}
