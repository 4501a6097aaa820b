// The lines above the editor while recording: the steps, a window around the one that is worked on, the keys, the notice. Pure.
import { previewLines } from "./preview.ts";
import type { Recording } from "./recording.ts";

/** Step lines shown at once. */
const windowHeight = 14;

export interface DrawnLine {
	readonly tone: "text" | "accent" | "dim" | "warning";
	/** Not cut to a width. */
	readonly text: string;
}

/** Lines of the widget, top to bottom. */
export function drawRecording(recording: Recording): DrawnLine[] {
	const marked = recording.selected ?? recording.editing;
	const [heading = "", ...steps] = previewLines(recording.steps, marked);
	const at = steps.findIndex((line) => line.startsWith("›"));
	const end = at === -1 ? steps.length : Math.min(steps.length, Math.max(windowHeight, at + 2));
	const start = Math.max(0, end - windowHeight);
	const lines: DrawnLine[] = [{ tone: "accent", text: heading }];
	if (start > 0) lines.push({ tone: "dim", text: `… ${start} lines above` });
	for (const text of steps.slice(start, end)) lines.push({ tone: text.startsWith("›") ? "accent" : "text", text });
	if (end < steps.length) lines.push({ tone: "dim", text: `… ${steps.length - end} lines below` });
	if (recording.selected !== undefined) {
		lines.push({ tone: "dim", text: "Enter edits · Delete removes · Alt+↑↓ moves · ↓ past the end goes on" });
	}
	for (const text of recording.notice?.split("\n") ?? []) lines.push({ tone: "warning", text });
	return lines;
}
