// Working and waiting time: one row per visit, one bar per worker process, a thinner bar per wait. Pure.

import type { Launch, Visit, Wait } from "../../core/index.ts";
import { marks, shortCost, shortTime, titleOf } from "../timeline/index.ts";
import { drawLanes, laneStart, lanesHeight } from "./lanes.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import { waitPhrase } from "./phrases.ts";
import type { ReportModel } from "./report-model.ts";
import { type ChartWidth, drawSvg, fitText, px, roomWidth, textWidth } from "./svg.ts";
import { ends } from "./table.ts";
import { busySpans, type TimeAxis, timeAxis } from "./time-axis.ts";

/** Rows at the beginning and at the end; the table has the others. */
const firstRows = 15;
const lastRows = 35;

/** The visits that the chart shows. */
export function ganttRows({ visits }: ReportModel): ReturnType<typeof ends<Visit>> {
	return ends(visits, firstRows, lastRows);
}

export const waitMarks: Readonly<Record<Wait["kind"], string>> = {
	asks: marks.waiting,
	approval: marks.waiting,
	provider: marks.delayed,
	paused: marks.paused,
	budget: "$",
	human: marks.human,
	interrupted: "↯",
	over: "·",
};

export const endMarks: Readonly<Record<Launch["end"]["kind"], string>> = {
	moved: marks.done,
	rejected: marks.refused,
	stopped: "",
	crashed: marks.failed,
	timed_out: marks.failed,
	lost: "↯",
	unstarted: marks.failed,
	working: marks.working,
};

export function drawGantt(html: Html, report: ReportModel, room: ChartWidth): Markup {
	const width = roomWidth[room];
	const wide = room === "wide";
	const left = wide ? 206 : 4;
	const right = wide ? width - 120 : width - 6;
	const rowHeight = wide ? 30 : 44;
	const top = 26;
	const { rows: shown, leftOut } = ganttRows(report);
	const axis = timeAxis(busySpans(report), report.beganAt, report.endedAt, left, right);
	const numbers = Math.max(20, 4 + textWidth(String(shown.at(-1)?.number ?? 1), 13));
	const gap = leftOut > 0 ? 26 : 0;
	let bottom = top;
	const rows = shown.map((visit, index) => {
		if (leftOut > 0 && index === firstRows) bottom += gap;
		const y = bottom;
		const height = rowHeight + lanesHeight(visit);
		bottom += height;
		return { visit, y, height };
	});
	const gapAt = (rows[firstRows]?.y ?? bottom) - gap + 17;
	return drawSvg(html, {
		id: `gantt-${room}`,
		width,
		height: bottom + 12,
		title: "Active and waiting time of every visit",
		description: describe(report, shown, leftOut),
		content: [
			drawAxis(html, axis, top, bottom),
			drawRewinds(html, report, axis, top, bottom),
			rows.map(({ visit, y, height }) =>
				drawRow(html, visit, y, { report, axis, wide, left, right, width, rowHeight: height, numbers }),
			),
			leftOut === 0
				? undefined
				: html`<text class="dim" x="${left}" y="${px(gapAt)}">… ${leftOut} more visits are in the table below …</text>`,
		],
	});
}

function describe(report: ReportModel, shown: readonly Visit[], leftOut: number): string {
	const rows = shown.slice(0, 30).map((visit) => {
		const waited = visit.waits.reduce((sum, { from, to }) => sum + to - from, 0);
		const wait = waited > 0 ? `, waited ${shortTime(waited)}` : "";
		return `visit ${visit.number} ${titleOf(visit.state)}: active ${shortTime(visit.activeMs)}${wait}`;
	});
	const rest = leftOut + Math.max(0, shown.length - 30);
	const more = rest > 0 ? ` And ${rest} more visits.` : "";
	return `One row for each visit, over ${shortTime(report.endedAt - report.beganAt)}. ${rows.join("; ")}.${more}`;
}

/** Grid lines, labels above them, and strips for shortened idle time. */
export function drawAxis(html: Html, axis: TimeAxis, top: number, bottom: number): Markup {
	const end = axis.at(Number.MAX_SAFE_INTEGER);
	const anchor = (x: number, label: string, index: number): Markup | undefined =>
		index === 0 ? undefined : x + textWidth(label, 11) / 2 > end + 4 ? atEnd : middle;
	return html`<g aria-hidden="true">${axis.breaks.map(
		({ from, to, ms }) =>
			html`<rect class="cut" x="${px(from)}" y="${px(top)}" width="${px(Math.max(2, to - from))}" height="${px(bottom - top)}"><title>${shortTime(ms)} without work, shortened</title></rect>`,
	)}${axis.ticks.map(
		({ x, label }, index) =>
			html`<line class="grid" x1="${px(x)}" x2="${px(x)}" y1="${px(top)}" y2="${px(bottom)}"/><text class="tick" x="${px(x)}" y="${px(top - 9)}"${anchor(x, label, index)}>${label}</text>`,
	)}</g>`;
}

const middle: Markup = { markup: ' text-anchor="middle"' };
const atEnd: Markup = { markup: ' text-anchor="end"' };

/** Where the run was rewound: a line through the rows, with its mark on the time axis. */
function drawRewinds(html: Html, { moves }: ReportModel, axis: TimeAxis, top: number, bottom: number): HtmlContent {
	return moves
		.filter(({ cause }) => cause === "rewind")
		.slice(-40)
		.map(({ number, at, to }) => {
			const x = px(axis.at(at));
			return html`<g class="rewind"><title>Move ${number}: rewound to ${titleOf(to)}</title><line x1="${x}" x2="${x}" y1="${px(top - 4)}" y2="${px(bottom)}"/><text x="${x}" y="${px(bottom + 6)}" text-anchor="middle">${marks.undone}</text></g>`;
		});
}

interface Row {
	readonly report: ReportModel;
	readonly axis: TimeAxis;
	readonly wide: boolean;
	readonly left: number;
	readonly right: number;
	readonly width: number;
	readonly rowHeight: number;
	/** Right edge of the visit numbers. */
	readonly numbers: number;
}

function drawRow(html: Html, visit: Visit, y: number, row: Row): Markup {
	const { report, axis, wide, left, right, width, rowHeight, numbers } = row;
	const barY = wide ? y + 7 : y + 22;
	const figures = `${visit.undone ? `${marks.undone} undone · ` : ""}${figuresOf(visit)}`;
	const figuresWidth = textWidth(figures, 12);
	const labelRoom = (wide ? left - 16 : right - figuresWidth - 12) - numbers - 8;
	const name = fitText(html.plain(titleOf(visit.state)), 13, labelRoom);
	const textY = wide ? y + 19 : y + 15;
	const bars: HtmlContent[] = [
		...visit.launches.map((launch) => drawStart(html, launch, report, axis, barY)),
		...visit.waits.map((wait) => drawWait(html, wait, axis, barY)),
		...visit.launches.map((launch) => drawLaunch(html, launch, report, axis, barY)),
		drawLanes(html, visit, row, barY + laneStart),
	];
	const undone = visit.undone ? html`<title>Visit ${visit.number} was undone by a rewind</title>` : undefined;
	return html`<g class="${visit.undone ? "undone" : "kept"}">${undone}<line class="rule" x1="0" x2="${width}" y1="${px(y + rowHeight)}" y2="${px(y + rowHeight)}"/><text class="num" x="${px(numbers)}" y="${px(textY)}" text-anchor="end">${visit.number}</text><text x="${px(numbers + 8)}" y="${px(textY)}">${name}</text><text class="dim small" x="${px(width)}" y="${px(textY)}" text-anchor="end">${figures}</text>${bars}</g>`;
}

function figuresOf({ activeMs, spend, waits, launches, children }: Visit): string {
	if (launches.length + children.length > 0) return `${shortTime(activeMs)} · ${shortCost(spend.costUsd)}`;
	const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0);
	return waited > 0 ? `${shortTime(waited)} waited` : "";
}

/** The time that a worker needed to start. */
function drawStart(html: Html, launch: Launch, report: ReportModel, axis: TimeAxis, y: number): HtmlContent {
	const { reservedAt, startedAt, endedAt } = launch;
	const until = startedAt ?? endedAt ?? report.endedAt;
	const from = axis.at(reservedAt);
	const length = axis.at(until) - from;
	if (length < 1) return undefined;
	return html`<g><title>A worker starting: ${shortTime(until - reservedAt)}</title><rect class="starting" x="${px(from)}" y="${y + 3}" width="${px(length)}" height="10" rx="2"/></g>`;
}

function drawLaunch(html: Html, launch: Launch, report: ReportModel, axis: TimeAxis, y: number): HtmlContent {
	const { startedAt, endedAt, end, attempt } = launch;
	if (startedAt === undefined) {
		if (endedAt === undefined || end.kind !== "unstarted") return undefined;
		return html`<text class="bad" x="${px(axis.at(endedAt))}" y="${y + 12}" text-anchor="middle">${endMarks.unstarted}<title>Attempt ${attempt} ${end.words}</title></text>`;
	}
	const from = axis.at(startedAt);
	const to = axis.at(endedAt ?? report.endedAt);
	const length = Math.max(2, to - from);
	const faulty = end.kind === "crashed" || end.kind === "timed_out" || end.kind === "lost";
	const label = `${attempt}${endMarks[end.kind] === "" || end.kind === "moved" ? "" : ` ${endMarks[end.kind]}`}`;
	const inside = length >= textWidth(label, 11) + 8;
	const title = `Attempt ${attempt}${launch.launch > 1 ? `, process ${launch.launch}` : ""}: ${shortTime((endedAt ?? report.endedAt) - startedAt)}, ${end.words}`;
	const text = inside
		? html`<text class="on small" x="${px(from + length / 2)}" y="${y + 12}" text-anchor="middle">${label}</text>`
		: undefined;
	return html`<g><title>${title}</title><rect class="${faulty ? "bar fault" : "bar"}" x="${px(from)}" y="${y}" width="${px(length)}" height="16" rx="3"/>${text}</g>`;
}

function drawWait(html: Html, { kind, from, to }: Wait, axis: TimeAxis, y: number): Markup {
	const start = axis.at(from);
	const length = Math.max(2, axis.at(to) - start);
	const time = shortTime(to - from);
	const long = `${waitMarks[kind]} ${time.replace(/^(\d+[dhm])\d+[hms]$/, "$1")}`;
	const label = length >= textWidth(long, 11) + 8 ? long : length >= 14 ? waitMarks[kind] : "";
	const text =
		label === ""
			? undefined
			: html`<text class="wait-label" x="${px(start + length / 2)}" y="${y + 12}" text-anchor="middle">${label}</text>`;
	return html`<g><title>${waitPhrase(kind)}, ${time}</title><rect class="wait ${kind}" x="${px(start)}" y="${y + 1}" width="${px(length)}" height="14" rx="3"/>${text}</g>`;
}
