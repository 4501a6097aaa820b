// Tokens, cost and time per state, and over time. Pure.
import { scaleLinear } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";
import { shortCost, shortCount, shortTime, titleOf } from "../timeline/index.ts";
import { drawAxis } from "./gantt.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import type { ReportModel, StateFigures } from "./report-model.ts";
import { type ChartWidth, drawSvg, fitText, px, roomWidth, textWidth } from "./svg.ts";
import { busySpans, type TimeAxis, timeAxis } from "./time-axis.ts";

/** Maximum number of states with their own row. */
const maxStates = 24;

export const tokenKinds = [
	["input", "input"],
	["output", "output"],
	["cacheRead", "cache read"],
	["cacheWrite", "cache write"],
] as const;

interface StateRow extends StateFigures {
	readonly title: string;
}

/** States ordered by cost, then by tokens; `leftOut` counts the states beyond the limit. */
export function stateRows({ states }: ReportModel): { readonly rows: readonly StateRow[]; readonly leftOut: number } {
	const all = [...states]
		.filter(([, { activeMs, spend }]) => activeMs > 0 || spend.tokens > 0 || spend.costUsd > 0)
		.map(([name, figures]): StateRow => ({ title: titleOf(name), ...figures }));
	const order = all.toSorted(
		(one, other) => other.spend.costUsd - one.spend.costUsd || other.spend.tokens - one.spend.tokens,
	);
	return { rows: order.slice(0, maxStates), leftOut: Math.max(0, order.length - maxStates) };
}

type Column = {
	readonly name: string;
	/** Unit after the figure, if the column has no heading. */
	readonly word: string;
	readonly of: (row: StateRow) => number;
	readonly show: (value: number) => string;
};

const columns: readonly Column[] = [
	{ name: "Tokens", word: " tokens", of: ({ spend }) => spend.tokens, show: shortCount },
	{ name: "Cost", word: "", of: ({ spend }) => spend.costUsd, show: shortCost },
	{ name: "Active time", word: " active", of: ({ activeMs }) => activeMs, show: shortTime },
];

export function drawStates(html: Html, report: ReportModel, room: ChartWidth): Markup {
	const { rows, leftOut } = stateRows(report);
	const width = roomWidth[room];
	const wide = room === "wide";
	const left = wide ? 206 : 4;
	const rowHeight = wide ? 30 : 92;
	const top = wide ? 28 : 4;
	const each = wide ? (width - left) / columns.length : width - 8;
	const content = rows.map((row, index) => {
		const y = top + index * rowHeight;
		const name = fitText(html.plain(row.title), 13, wide ? left - 16 : width - 8);
		return html`<g><text x="4" y="${px(wide ? y + 19 : y + 16)}">${name}</text>${columns.map((column, at) => {
			const x = wide ? left + at * each : 4;
			const barY = wide ? y + 8 : y + 26 + at * 20;
			return drawBar(html, row, column, { rows, x, y: barY, width: each - (wide ? 24 : 0), named: !wide });
		})}<line class="rule" x1="0" x2="${width}" y1="${px(y + rowHeight - 1)}" y2="${px(y + rowHeight - 1)}"/></g>`;
	});
	const heads = wide
		? columns.map(({ name }, at) => html`<text class="dim small" x="${px(left + at * each)}" y="16">${name}</text>`)
		: [];
	const words = rows.map(
		({ title, spend, activeMs }) =>
			`${title}: ${shortCount(spend.tokens)} tokens, ${shortCost(spend.costUsd)}, ${shortTime(activeMs)}`,
	);
	return drawSvg(html, {
		id: `states-${room}`,
		width,
		height: top + rows.length * rowHeight + 2,
		title: "Tokens, cost and active time per state",
		description: `${words.slice(0, 12).join("; ")}.${rows.length + leftOut > 12 ? ` And ${rows.length + leftOut - 12} more states.` : ""}`,
		content: [heads, content],
	});
}

interface BarPlace {
	readonly rows: readonly StateRow[];
	readonly x: number;
	readonly y: number;
	readonly width: number;
	/** Whether the figure includes its unit. */
	readonly named: boolean;
}

function drawBar(html: Html, row: StateRow, column: Column, { rows, x, y, width, named }: BarPlace): Markup {
	const value = column.of(row);
	const most = Math.max(...rows.map(column.of));
	const figureOf = (one: StateRow): string => `${column.show(column.of(one))}${named ? column.word : ""}`;
	const roomForText = Math.max(...rows.map((one) => textWidth(figureOf(one), 12))) + 10;
	const scale = scaleLinear()
		.domain([0, most || 1])
		.range([0, Math.max(10, width - roomForText)]);
	const length = value > 0 ? Math.max(1.5, scale(value)) : 0;
	const bars: HtmlContent =
		column.name === "Tokens"
			? stack(html, row, x, y, length)
			: html`<rect class="bar plain" x="${px(x)}" y="${y}" width="${px(length)}" height="14" rx="2"/>`;
	return html`${bars}<text class="small" x="${px(x + length + 6)}" y="${y + 11}">${figureOf(row)}</text>`;
}

/** A stacked bar of the kinds of tokens, with the rest if a ledger does not record the kinds. */
function stack(html: Html, { spend }: StateRow, x: number, y: number, length: number): HtmlContent {
	const known = tokenKinds.reduce((sum, [kind]) => sum + spend[kind], 0);
	const whole = Math.max(known, spend.tokens);
	if (whole === 0) return undefined;
	const parts: [string, number][] = tokenKinds.map(([kind], at) => [`t${at}`, spend[kind]]);
	parts.push(["t4", whole - known]);
	let from = x;
	return parts.map(([name, tokens]) => {
		const part = (tokens / whole) * length;
		const start = from;
		from += part;
		return tokens <= 0
			? undefined
			: html`<rect class="${name}" x="${px(start)}" y="${y}" width="${px(Math.max(0.5, part))}" height="14"/>`;
	});
}

interface Panel {
	readonly name: string;
	readonly of: (point: { tokens: number; costUsd: number }) => number;
	readonly ceiling: (one: ReportModel["ceilings"][number]) => number | undefined;
	readonly show: (value: number) => string;
}

const panels: readonly Panel[] = [
	{ name: "Tokens", of: ({ tokens }) => tokens, ceiling: ({ tokens }) => tokens, show: shortCount },
	{ name: "Cost", of: ({ costUsd }) => costUsd, ceiling: ({ costUsd }) => costUsd, show: shortCost },
];

export function drawSpending(html: Html, report: ReportModel, room: ChartWidth): Markup {
	const width = roomWidth[room];
	const left = 52;
	const right = width - 12;
	const panelHeight = room === "wide" ? 130 : 120;
	const axis = timeAxis(busySpans(report), report.beganAt, report.endedAt, left, right);
	const shown = panels.filter(({ of }) => of(report.run.totals) > 0);
	const content = shown.map((panel, index) => {
		const top = 44 + index * (panelHeight + 58);
		return drawPanel(html, report, panel, axis, { left, right, top, bottom: top + panelHeight });
	});
	const { tokens, costUsd } = report.run.totals;
	return drawSvg(html, {
		id: `spending-${room}`,
		width,
		height: shown.length * (panelHeight + 58),
		title: "Tokens and cost over time",
		description: `Over ${shortTime(report.endedAt - report.beganAt)} the run came to ${shortCount(tokens)} tokens and ${shortCost(costUsd)}.`,
		content,
	});
}

interface Frame {
	readonly left: number;
	readonly right: number;
	readonly top: number;
	readonly bottom: number;
}

function drawPanel(html: Html, report: ReportModel, panel: Panel, axis: TimeAxis, frame: Frame): Markup {
	const { left, right, top, bottom } = frame;
	const points = [
		{ at: report.beganAt, tokens: 0, costUsd: 0 },
		...report.spending,
		{ at: report.endedAt, tokens: report.run.totals.tokens, costUsd: report.run.totals.costUsd },
	];
	const spent = panel.of(report.run.totals);
	const ceilings = ceilingSteps(report, panel);
	// A ceiling far above the spend would flatten the line, so it is only named.
	const near = ceilings.filter(({ value }) => value <= spent * 4);
	const y = scaleLinear()
		.domain([0, Math.max(spent, ...near.map(({ value }) => value)) * 1.05])
		.range([bottom, top])
		.nice(4);
	const x = ({ at }: { at: number }): number => px(axis.at(at));
	const height = (point: { tokens: number; costUsd: number }): number => px(y(panel.of(point)));
	const path = line<(typeof points)[number]>().x(x).y(height).curve(curveStepAfter)(points);
	const below = area<(typeof points)[number]>().x(x).y0(bottom).y1(height).curve(curveStepAfter)(points);
	// If there is no room after the start of a line, its label goes before the end.
	const late = (from: number): boolean => axis.at(from) > right - 100;
	const far = ceilings.filter(({ value }) => value > spent * 4).at(-1);
	const name = `${panel.name}: ${panel.show(spent)}${far ? ` · ceiling ${panel.show(far.value)}` : ""}`;
	return html`<g>${drawAxis(html, axis, top, bottom)}<text class="small strong" x="4" y="${top - 26}">${name}</text>${y
		.ticks(4)
		.map(
			(value) =>
				html`<line class="grid" x1="${left}" x2="${px(right)}" y1="${px(y(value))}" y2="${px(y(value))}"/><text class="tick" x="${left - 6}" y="${px(y(value) + 4)}" text-anchor="end">${panel.show(value)}</text>`,
		)}<path class="area" d="${below ?? ""}"/><path class="line" d="${path ?? ""}"/>${near.map(
		({ from, to, value }) =>
			html`<line class="ceiling" x1="${px(axis.at(from))}" x2="${px(axis.at(to))}" y1="${px(y(value))}" y2="${px(y(value))}"><title>Ceiling: ${panel.show(value)}</title></line><text class="ceiling-label" x="${px(late(from) ? axis.at(to) - 2 : axis.at(from) + 3)}" y="${px(y(value) - 5)}" text-anchor="${late(from) ? "end" : "start"}">ceiling ${panel.show(value)}</text>`,
	)}</g>`;
}

function ceilingSteps(
	{ ceilings, endedAt }: ReportModel,
	panel: Panel,
): readonly { readonly from: number; readonly to: number; readonly value: number }[] {
	const steps: { from: number; to: number; value: number }[] = [];
	for (const [index, one] of ceilings.entries()) {
		const value = panel.ceiling(one);
		const to = ceilings[index + 1]?.at ?? endedAt;
		const last = steps.at(-1);
		if (last && last.value === value && last.to === one.at) last.to = to;
		else if (value !== undefined) steps.push({ from: one.at, to, value });
	}
	return steps;
}
