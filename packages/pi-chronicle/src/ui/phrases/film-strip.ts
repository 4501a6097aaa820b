// The visits of a run in a row: each with its time, sign and cost. One drawing for every screen: it is laid out here, and each surface paints it.
// Pure.
import type { Run } from "@pi-chronicle/core/machine";
import { columnsOf, shortCost, shortTime } from "../../pi/index.ts";
import { currentMark, undoneVisits } from "./crumbs.ts";
import { liveMs } from "./figures.ts";
import { type Mark, marks, titleOf } from "./names.ts";

export interface FilmFrame {
	readonly title: string;
	readonly mark: Mark;
	/** The visit; of a gap, the last one in it. */
	readonly visit: number;
	/** Number of visits: more than 1 in the gap at the start. */
	readonly visits: number;
	readonly isCurrent: boolean;
	/** Milliseconds of work. */
	readonly ms: number;
	readonly costUsd: number;
}

/** A frame with its columns and what stands in it. */
interface LaidFrame extends FilmFrame {
	/** Exactly `columns` characters. */
	readonly text: string;
	/** Below it: time and cost, as far as they fit; exactly `columns` characters. */
	readonly figures: string;
	readonly columns: number;
}

/** The visits in order, without those that the run no longer has. `now` is ISO 8601. */
export function framesOf(run: Run, now: string): FilmFrame[] {
	const undone = undoneVisits(run.history);
	const earlier = run.moves.total - run.history.length;
	const left = run.history.map(({ from, to, visit, metrics: { activeMs, costUsd } }, index): FilmFrame => {
		const isBack = run.history.slice(0, index).some((move) => move.from === to);
		const mark = undone.has(visit) ? "undone" : isBack ? "released" : "done";
		return { title: titleOf(from), mark, visit, visits: 1, isCurrent: false, ms: activeMs, costUsd };
	});
	const current: FilmFrame = {
		title: titleOf(run.state),
		mark: currentMark(run),
		visit: run.visit,
		visits: 1,
		isCurrent: true,
		ms: run.visitRecord.activeMs + liveMs(run, now),
		costUsd: run.visitRecord.costUsd,
	};
	const gap: FilmFrame[] =
		earlier > 0
			? [{ title: "", mark: "done", visit: earlier, visits: earlier, isCurrent: false, ms: 0, costUsd: 0 }]
			: [];
	return [...gap, ...left, current];
}

/** Columns of a frame with a short name and its sign. */
const leastColumns = 9;

/** Lays the frames out in `columns` columns: time is width. The oldest ones are joined into a gap if there is no room for all. */
export function layFilm(frames: readonly FilmFrame[], columns: number): LaidFrame[] {
	const shown = joinOldest(frames, Math.max(1, Math.floor(columns / leastColumns)));
	const least = Math.min(leastColumns, Math.floor(columns / shown.length));
	const free = columns - least * shown.length;
	const total = shown.reduce((sum, { ms }) => sum + ms, 0);
	let given = 0;
	let passed = 0;
	return shown.map((frame, index) => {
		passed += frame.ms;
		const share = total === 0 ? (index + 1) / shown.length : passed / total;
		const upTo = Math.floor(free * share);
		const width = least + upTo - given;
		given = upTo;
		return { ...frame, columns: width, text: frameText(frame, width), figures: figuresText(frame, width) };
	});
}

/** The strip as plain text, `columns` wide: the visits and their figures. None before the first visit has ended. */
export function filmLines(run: Run, now: string, columns: number): string[] {
	const frames = framesOf(run, now);
	if (frames.length < 2) return [];
	const laid = layFilm(frames, columns);
	return [laid.map(({ text }) => text).join(""), laid.map(({ figures }) => figures).join("")];
}

function joinOldest(frames: readonly FilmFrame[], room: number): readonly FilmFrame[] {
	if (frames.length <= room) return frames;
	const at = frames.length - room + 1;
	const old = frames.slice(0, at);
	const sum = (of: (frame: FilmFrame) => number): number => old.reduce((total, frame) => total + of(frame), 0);
	const gap: FilmFrame = {
		...{ title: "", mark: "done", visit: old.at(-1)?.visit ?? 0, isCurrent: false },
		...{ visits: sum(({ visits }) => visits), ms: sum(({ ms }) => ms), costUsd: sum(({ costUsd }) => costUsd) },
	};
	return room === 1 ? frames.slice(-1) : [gap, ...frames.slice(at)];
}

/** `┃██ Build ✓ ██`. */
function frameText({ title, mark, visits }: FilmFrame, width: number): string {
	const sign = marks[mark].trim() === "" ? "" : ` ${marks[mark]}`;
	const inner = Math.max(0, width - 1);
	const words = visits > 1 ? `… ${visits} visits` : `${cut(title, Math.max(1, inner - sign.length))}${sign}`;
	const free = inner - columnsOf(words);
	if (free < 4) return `┃${fill(words, inner)}`;
	const before = Math.floor((free - 2) / 2);
	return `┃${"█".repeat(before)} ${words} ${"█".repeat(free - 2 - before)}`;
}

function figuresText({ ms, costUsd }: FilmFrame, width: number): string {
	const inner = Math.max(0, width - 1);
	const cost = costUsd === 0 ? "" : ` ${shortCost(costUsd)}`;
	const whole = `${shortTime(ms)}${cost}`;
	const shown = whole.length <= inner ? whole : shortTime(ms).slice(0, inner);
	const before = Math.floor((inner - shown.length) / 2);
	return ` ${" ".repeat(before)}${shown}`.padEnd(width);
}

/** The start of a text, at most `columns` columns wide. */
function cut(text: string, columns: number): string {
	let shown = "";
	for (const { segment } of new Intl.Segmenter().segment(text)) {
		if (columnsOf(shown + segment) > columns) break;
		shown += segment;
	}
	return shown;
}

function fill(text: string, columns: number): string {
	const shown = cut(text, columns);
	return shown + " ".repeat(columns - columnsOf(shown));
}
