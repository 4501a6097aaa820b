// A time axis for runs, in per cent of its width: work to scale, long idle time shortened and marked. A night of waiting must not squeeze ten
// minutes of work into a line. The axis never runs backward, and idle time keeps a strip of its own. Pure.
import { shortTime } from "../phrases/index.ts";
import type { ReportModel } from "./report-model.ts";

export interface TimeAxis {
	/** Position of a time, from 0 to 100. */
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
/** Minimum distance between labels, in per cent. */
const labelRoom = 12;

const day = 86_400;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, day].map(
	(seconds) => seconds * 1000,
);

/** Spans in which a worker of the run was running, merged, in order. */
export function busySpans({ visits, endedAt: now }: ReportModel): TimeSpan[] {
	const spans = visits
		.flatMap(({ launches, children }) => [
			...launches.map(({ startedAt = 0, endedAt = now }) => ({ from: startedAt, to: endedAt })),
			...children.map(({ beganAt = 0, endedAt = now }) => ({ from: beganAt, to: endedAt })),
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

/** The axis of a run from `began` to `ended`; `busy` is to scale. */
export function timeAxis(busy: readonly TimeSpan[], began: number, ended: number): TimeAxis {
	const end = Math.max(ended, began + 1000);
	const work = busy.reduce((sum, { from, to }) => sum + to - from, 0) || end - began;
	const silences = silencesBetween(busy, began, end);
	const long = silences.filter(({ from, to }) => to - from > work * 0.04).length;
	const strip = Math.max(1000, work * Math.min(oneBreak, allBreaks / Math.max(1, long)));
	const least = Math.max(strip * 1.6, shortestCut);
	const cut = busy.length === 0 ? [] : silences.filter(({ from, to }) => to - from > least);
	// Between two of these points, the axis is linear.
	const points = [{ time: began, length: 0 }];
	let length = 0;
	const add = (time: number, by: number): void => {
		length += by;
		points.push({ time, length });
	};
	let last = began;
	for (const { from, to } of cut) {
		if (from > last) add(from, from - last);
		add(to, strip);
		last = to;
	}
	if (end > last) add(end, end - last);
	const at = (time: number): number => {
		if (time <= began) return 0;
		const index = points.findIndex((point) => point.time >= time);
		const [from, to] = [points[index - 1], points[index]];
		if (!from || !to) return 100;
		return (100 / length) * (from.length + ((to.length - from.length) * (time - from.time)) / (to.time - from.time));
	};
	const breaks = cut.map(({ from, to }) => ({ from: at(from), to: at(to), ms: to - from }));
	return { at, ticks: ticksOf(at, began, end, cut, 100 / length), breaks };
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
	at: (time: number) => number,
	began: number,
	end: number,
	cut: readonly TimeSpan[],
	perMs: number,
): TimeAxis["ticks"] {
	const step = steps.find((one) => one * perMs >= labelRoom) ?? Math.ceil(labelRoom / perMs / day / 1000) * day * 1000;
	const ticks: { x: number; label: string }[] = [];
	const edges = [{ from: began, to: began }, ...cut, { from: end, to: end }];
	for (const [index, { to }] of edges.entries()) {
		const next = edges[index + 1];
		if (!next) break;
		for (let time = began + Math.ceil((to - began) / step) * step; time <= next.from; time += step) {
			const x = at(time);
			if (x - (ticks.at(-1)?.x ?? -labelRoom) >= labelRoom) ticks.push({ x, label: axisTime(time - began) });
		}
	}
	return ticks;
}

/** `0`, `5m`, `1h`, `1h05m`: a time since the start. */
export function axisTime(ms: number): string {
	return ms === 0 ? "0" : shortTime(ms).replace(/^(\d+[dhm])0+[hms]$/, "$1");
}
