// The lines above the editor while recording: a window of steps around the current one, the keys, the notice. Pure.
// Whatever the screen's size, the current step, the keys and the notice are visible: the other steps give way.
import { counted } from "@pi-chronicle/core/definition";
import { previewLines } from "./preview.ts";
import { type Recording, recordingKeys } from "./recording.ts";

/** Maximum number of step lines on a screen with enough room, and on one without. */
const tallest = 14;
const shortest = 1;

export interface DrawnLine {
	readonly tone: "text" | "accent" | "dim" | "warning";
	/** Not cut to a width. */
	readonly text: string;
}

/** The available screen area. */
export interface RecordingArea {
	/** Rows for the widget. */
	readonly rows: number;
	/** Whether pi's footer shows the complete status line, which ends with the keys. */
	readonly wholeStatus: boolean;
}

/**
 * Rows of the widget, top to bottom, within the available rows if possible. `wrap` turns a line into rows of the screen's width: a step
 * takes one row, any other line as many as it needs.
 */
export function layRecording<Row>(
	recording: Recording,
	room: RecordingArea,
	wrap: (line: DrawnLine) => readonly Row[],
): Row[] {
	for (let height = tallest; ; height--) {
		// Dropped last: the number of steps not shown, then the keys.
		const more = height >= shortest ? "shown" : "hidden";
		const keys = height >= shortest - 1 ? "shown" : "hidden";
		const laid = drawRecording(recording, { height: Math.max(shortest, height), more, keys }, room).flatMap(wrap);
		if (laid.length <= room.rows || keys === "hidden") return laid;
	}
}

interface Extent {
	/** Number of step lines. */
	readonly height: number;
	/** Whether to show the number of lines above and below. */
	readonly more: "shown" | "hidden";
	readonly keys: "shown" | "hidden";
}

function drawRecording(
	recording: Recording,
	{ height, more, keys }: Extent,
	{ wholeStatus }: RecordingArea,
): DrawnLine[] {
	const marked = recording.selected ?? recording.editing;
	const [heading = "", ...steps] = previewLines(recording.steps, marked);
	const at = steps.findIndex((line) => line.startsWith("›"));
	const end = at === -1 ? steps.length : Math.min(steps.length, Math.max(height, at + Math.min(2, height)));
	const start = Math.max(0, end - height);
	const lines: DrawnLine[] = [{ tone: "accent", text: heading }];
	if (more === "shown" && start > 0) lines.push({ tone: "dim", text: `… ${counted(start, "line")} above` });
	for (const text of steps.slice(start, end)) lines.push({ tone: text.startsWith("›") ? "accent" : "text", text });
	if (more === "shown" && end < steps.length)
		lines.push({ tone: "dim", text: `… ${counted(steps.length - end, "line")} below` });
	if (keys === "shown" && recording.selected !== undefined) {
		lines.push({ tone: "dim", text: "Enter edits · Delete removes · Alt+↑↓ moves · ↓ past the end adds" });
	} else if (keys === "shown" && !wholeStatus) lines.push({ tone: "dim", text: recordingKeys(recording) });
	for (const text of recording.notice?.split("\n") ?? []) lines.push({ tone: "warning", text });
	return lines;
}
