// A time axis for runs: work to scale, long idle time shortened and marked. A night of waiting must not squeeze ten minutes of work into a
// line. Pure.
// A1 the axis never runs backward; A2 idle time keeps at least its own strip, which shows its true length.
import { scaleLinear } from "d3-scale";
import { shortTime } from "../timeline/index.ts";
import type { ReportModel } from "./report-model.ts";

export interface TimeAxis {
	/** Position of a time, from `left` to `right`. */
	at(time: number): number;
	readonly ticks: readonly { readonly x: number; readonly label: string }[];
	readonly breaks: readonly { readonly from: number; readonly to: number; readonly ms: number }[];
}

export interface TimeSpan {
	readonly from: number;
	readonly to: number;
}

/** Maximum length of all strips of idle time together, and of one, as a share of the length of work. */
const allBreaks = 0.6;
const oneBreak = 0.14;
/** Idle time below this, in milliseconds, is never shortened. */
const shortestCut = 60_000;
/** Minimum distance between labels, in pixels. */
const labelRoom = 58;

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400].map(
	(seconds) => seconds * 1000,
);

/** Spans in which a worker of the run was running, merged, in order. */
export function busySpans(report: ReportModel): TimeSpan[] {
	const spans = report.visits
		.flatMap(({ launches, children }) => [
			...launches.map(({ startedAt, endedAt }) => ({ from: startedAt ?? 0, to: endedAt ?? report.endedAt })),
			...children.map(({ beganAt, endedAt }) => ({ from: beganAt ?? 0, to: endedAt ?? report.endedAt })),
		])
		.filter(({ from, to }) => from > 0 && to > from)
		.sort((one, other) => one.from - other.from);
	const merged: TimeSpan[] = [];
	for (const span of spans) {
		const last = merged.at(-1);
		if (last && span.from <= last.to) merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
		else merged.push(span);
	}
	return merged;
}

/** The axis of a run between two positions. It covers `began` to `ended`; `busy` is to scale. */
export function timeAxis(
	busy: readonly TimeSpan[],
	began: number,
	ended: number,
	left: number,
	right: number,
): TimeAxis {
	const end = Math.max(ended, began + 1000);
	const work = busy.reduce((sum, { from, to }) => sum + to - from, 0) || end - began;
	const silences = silencesBetween(busy, began, end);
	const long = silences.filter(({ from, to }) => to - from > work * 0.04).length;
	const strip = Math.max(1000, work * Math.min(oneBreak, allBreaks / Math.max(1, long)));
	const least = Math.max(strip * 1.6, shortestCut);
	const cut = busy.length === 0 ? [] : silences.filter(({ from, to }) => to - from > least);
	const domain = [began];
	const lengths = [0];
	let length = 0;
	const add = (time: number, by: number): void => {
		length += by;
		domain.push(time);
		lengths.push(length);
	};
	let at = began;
	for (const { from, to } of cut) {
		if (from > at) add(from, from - at);
		add(to, strip);
		at = to;
	}
	if (end > at) add(end, end - at);
	const range = lengths.map((one) => left + ((right - left) * one) / length);
	const scale = scaleLinear().domain(domain).range(range).clamp(true);
	const breaks = cut.map(({ from, to }) => ({ from: scale(from), to: scale(to), ms: to - from }));
	return { at: (time) => scale(time), ticks: ticksOf(scale, began, end, cut, (right - left) / length), breaks };
}

function silencesBetween(busy: readonly TimeSpan[], began: number, end: number): TimeSpan[] {
	const silences: TimeSpan[] = [];
	let at = began;
	for (const { from, to } of busy) {
		if (from > at) silences.push({ from: at, to: from });
		at = Math.max(at, to);
	}
	if (end > at) silences.push({ from: at, to: end });
	return silences;
}

/** Round times since the start, none of them inside a shortened strip. */
function ticksOf(
	scale: (time: number) => number,
	began: number,
	end: number,
	cut: readonly TimeSpan[],
	pixelsPerMs: number,
): TimeAxis["ticks"] {
	const step = steps.find((one) => one * pixelsPerMs >= labelRoom) ?? dayStep(labelRoom / pixelsPerMs);
	const ticks: { x: number; label: string }[] = [];
	const put = (time: number): void => {
		const x = scale(time);
		const last = ticks.at(-1);
		if (last === undefined || x - last.x >= labelRoom) ticks.push({ x, label: axisTime(time - began) });
	};
	const edges = [{ from: began, to: began }, ...cut, { from: end, to: end }];
	for (const [index, { to }] of edges.entries()) {
		const next = edges[index + 1];
		if (!next) break;
		for (let time = began + Math.ceil((to - began) / step) * step; time <= next.from; time += step) put(time);
	}
	return ticks;
}

function dayStep(ms: number): number {
	const day = 86_400_000;
	return Math.ceil(ms / day) * day;
}

/** `0`, `5m`, `1h`, `1h05m`: a time since the start. */
export function axisTime(ms: number): string {
	if (ms === 0) return "0";
	return shortTime(ms).replace(/^(\d+[dhm])0+[hms]$/, "$1");
}
