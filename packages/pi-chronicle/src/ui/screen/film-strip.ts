// The film strip of a run in the terminal: signs and colors, and the figures below.

import type { Run } from "@pi-chronicle/core/machine";
import { dim, type Line, type Tone } from "../../tui/index.ts";
import { framesOf, type LaidFrame, layFilm, type Mark } from "../phrases/index.ts";

const tones: Partial<Record<Mark, Tone>> = {
	done: "success",
	working: "accent",
	waiting: "warning",
	delayed: "warning",
	paused: "warning",
	human: "error",
	failed: "error",
	refused: "error",
	released: "warning",
};

/** Two lines of exactly `width` columns; none before the first visit has ended. `now` is ISO 8601. */
export function drawFilm(run: Run, now: string, width: number): Line[] {
	const frames = framesOf(run, now);
	if (frames.length < 2) return [];
	const laid = layFilm(frames, width);
	const text = ({ text, mark }: LaidFrame) => ({ text, tone: tones[mark] ?? ("dim" as const) });
	return [laid.map(text), [dim(laid.map(({ figures }) => figures).join(""))]];
}
