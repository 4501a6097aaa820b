// The section with the times: a row per visit, with a bar per worker process and child run, and a thinner one per wait. Positions are per cent
// of the row, so that one drawing fits every width. Pure.
import type { Launch, Visit, VisitChild, Wait } from "@pi-chronicle/core/history";
import { endMarks, marks, shortCost, shortTime, statusWords, takenOf, titleOf, waitPhrases } from "../phrases/index.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import { endsOf, px, type ReportPage, type Section } from "./page.ts";
import { busySpans, type TimeAxis, timeAxis } from "./time-axis.ts";

/** Rows at the beginning and at the end. */
const firstRows = 50;
const lastRows = 100;
/** Lanes of one visit; the section about children lists the others. */
const maxLanes = 12;
const maxRewinds = 40;
const faults: ReadonlySet<string> = new Set(["crashed", "timed_out", "lost", "unstarted"]);

export function timeSection(page: ReportPage): Section {
	const { html, report } = page;
	const axis = timeAxis(busySpans(report), report.beganAt, report.endedAt);
	const { first, last, leftOut } = endsOf(report.visits, firstRows, lastRows);
	const row = (visit: Visit): Markup => drawTimeRow(page, axis, visit);
	const gap = leftOut > 0 ? html`<li class="gap">… ${leftOut} visits are left out here …</li>` : undefined;
	const content = html`<div class="chart"><ol class="times" aria-label="Time chart">${drawAxis(page, axis)}${first.map(row)}${gap}${last.map(row)}</ol>${drawKeys(page, axis)}</div>`;
	return { id: "time", title: "Time", content: report.visits.length === 0 ? undefined : content };
}

/** A strip of a row. `content` is positioned in per cent of its width. */
function strip(html: Html, name: string, content: HtmlContent): Markup {
	return html`<svg class="${name}" aria-hidden="true" width="100%" height="20">${content}</svg>`;
}

function bar(html: Html, axis: TimeAxis, name: string, from: number, to: number, title: string): Markup {
	const start = axis.at(from);
	const [y, height] = name.startsWith("wait") ? [4, 12] : name === "starting" ? [6, 8] : [2, 16];
	return html`<rect class="${name}" x="${px(start)}%" y="${y}" width="${px(Math.max(0.3, axis.at(to) - start))}%" height="${height}" rx="2"><title>${title}</title></rect>`;
}

function drawAxis({ html, report }: ReportPage, axis: TimeAxis): Markup {
	const rewinds = report.moves.filter(({ cause }) => cause === "rewind").slice(-maxRewinds);
	const content = [
		axis.ticks.map(
			({ x, label }) =>
				html`<text class="tick" x="${px(x)}%" y="14" text-anchor="${x > 92 ? "end" : x < 4 ? "start" : "middle"}">${label}</text>`,
		),
		rewinds.map(
			({ number, at, to }) =>
				html`<g class="rewind"><title>Move ${number}: rewound to ${titleOf(to)}</title><text x="${px(axis.at(at))}%" y="19" text-anchor="middle">${marks.undone}</text></g>`,
		),
	];
	return html`<li class="axis" aria-hidden="true"><span></span>${strip(html, "strip", content)}<span></span></li>`;
}

function drawTimeRow({ html, report }: ReportPage, axis: TimeAxis, visit: Visit): Markup {
	const { number, state, launches, waits, children, choice, undone } = visit;
	const content = [
		axis.breaks.map(
			({ from, to, ms }) =>
				html`<rect class="cut" x="${px(from)}%" y="0" width="${px(to - from)}%" height="20"><title>${shortTime(ms)} without work, shortened</title></rect>`,
		),
		axis.ticks.map(({ x }) => html`<line class="grid" x1="${px(x)}%" x2="${px(x)}%" y1="0" y2="20"/>`),
		launches.map((launch) => drawStart(html, axis, launch, report.endedAt)),
		waits.map(({ kind, from, to }) =>
			bar(html, axis, `wait ${kind}`, from, to, `${waitPhrases[kind]}, ${shortTime(to - from)}`),
		),
		launches.map((launch) => drawLaunchBar(html, axis, launch, report.endedAt)),
	];
	const lanes = children
		.slice(0, maxLanes)
		.map((child) => drawLane(html, axis, child, takenOf(child, choice), report.endedAt));
	const more = children.length - lanes.length;
	return html`<li class="${undone ? "undone" : "kept"}"><span class="name"><span class="num">${number}</span> <span dir="auto">${html.cut(titleOf(state), 60)}</span></span>${strip(html, "strip", content)}<span class="figures">${undone ? `${marks.undone} undone · ` : ""}${timeFigures(visit)}</span>${lanes}${more > 0 ? html`<span class="lane-name">… ${more} more children</span>` : undefined}</li>`;
}

export function timeFigures({ activeMs, spend, waits, launches, children }: Visit): string {
	if (launches.length + children.length > 0) return `${shortTime(activeMs)} · ${shortCost(spend.costUsd)}`;
	const waited = waitedMs(waits);
	return waited > 0 ? `${shortTime(waited)} waited` : "";
}

export function waitedMs(waits: readonly Wait[]): number {
	return waits.reduce((sum, { from, to }) => sum + to - from, 0);
}

function drawStart(html: Html, axis: TimeAxis, { reservedAt, startedAt, endedAt }: Launch, now: number): HtmlContent {
	const until = startedAt ?? endedAt ?? now;
	if (axis.at(until) - axis.at(reservedAt) < 0.1) return undefined;
	return bar(html, axis, "starting", reservedAt, until, `A worker starting: ${shortTime(until - reservedAt)}`);
}

function drawLaunchBar(html: Html, axis: TimeAxis, launch: Launch, now: number): HtmlContent {
	const { startedAt, endedAt = now, end, attempt } = launch;
	const isFaulty = faults.has(end.kind);
	if (startedAt === undefined && !isFaulty) return undefined;
	const from = startedAt ?? endedAt;
	const process = launch.launch > 1 ? `, process ${launch.launch}` : "";
	const title = `Attempt ${attempt}${process}: ${shortTime(endedAt - from)}, ${end.words}`;
	const mark = end.kind === "moved" || end.kind === "working" ? "" : endMarks[end.kind];
	const middle = (axis.at(from) + axis.at(endedAt)) / 2;
	// A mark fits into a bar of some length only.
	const label =
		mark !== "" && axis.at(endedAt) - axis.at(from) > 4
			? html`<text class="on" x="${px(middle)}%" y="14" text-anchor="middle">${mark}</text>`
			: undefined;
	return html`${bar(html, axis, isFaulty ? "bar fault" : "bar", from, endedAt, title)}${label}`;
}

function drawLane(
	html: Html,
	axis: TimeAxis,
	{ name, status, beganAt, endedAt, total }: VisitChild,
	taken: ReturnType<typeof takenOf>,
	now: number,
): Markup {
	const spent = `${shortTime(total.activeMs)}, ${shortCost(total.spend.costUsd)}`;
	const title = `${name}: ${statusWords[status]}${taken === undefined ? "" : ` (${taken})`}, ${spent}`;
	const isFaulty = status === "failed" || status === "aborted";
	const own =
		beganAt === undefined ? undefined : bar(html, axis, isFaulty ? "bar fault" : "bar", beganAt, endedAt ?? now, title);
	return html`<span class="lane-name" dir="auto">${html.cut(name, 60)}</span>${strip(html, "strip lane", own)}<span class="figures">${spent}</span>`;
}

/** What the bars and signs mean, of those that are there. */
function drawKeys({ html, report, moments }: ReportPage, axis: TimeAxis): Markup {
	const launches = report.visits.flatMap((visit) => visit.launches);
	const waits = new Set(report.visits.flatMap((visit) => visit.waits.map(({ kind }) => kind)));
	const key = (name: string, words: string): Markup =>
		html`<span class="key"><svg class="sample" width="28" height="14" aria-hidden="true"><rect class="${name}" width="28" height="14" rx="2"/></svg> ${words}</span>`;
	return html`<p class="keys">${[
		key("bar", "a running worker"),
		key("starting", "a worker starting"),
		launches.some(({ end }) => faults.has(end.kind))
			? key("bar fault", `${marks.failed} crashed, timed out or lost`)
			: undefined,
		launches.some(({ end }) => end.kind === "rejected")
			? html`<span class="key"><b>${endMarks.rejected}</b> request rejected</span>`
			: undefined,
		[...waits].map((kind) => key(`wait ${kind}`, waitPhrases[kind])),
		axis.breaks.length > 0 ? key("cut", "long gap, shortened") : undefined,
		report.moves.some(({ cause }) => cause === "rewind")
			? html`<span class="key"><b>${marks.undone}</b> rewind; undone work is gray</span>`
			: undefined,
	]}<span>Time counts from ${moments.full(report.beganAt)}.</span></p>`;
}
