// Transcript rows of a run: its start, phases, pauses, and end. They are drawn from entries that the model never reads.
import type { Theme } from "@earendil-works/pi-coding-agent";
import { type Component, Text } from "@earendil-works/pi-tui";
import { printable } from "../../pi/index.ts";
import { dim, paintRows, themed } from "../../tui/index.ts";
import { readState, type StoredState } from "../phase-machine/index.ts";
import { answerLine, pauseLine } from "../prompts/index.ts";
import type { Rows } from "../rows.ts";
import { spendLines } from "./summary.ts";
import { drawCall, drawResult } from "./tool-row.ts";

/** Creates the renderers of the workflow rows. `placeOf` describes the position of a state's run. */
export function openRows(placeOf: (state: StoredState) => string | undefined): Rows {
	return {
		drawState(data, theme) {
			const read = readState(data);
			if (read.kind !== "state" || !read.state.active) return undefined;
			const at = placeOf(read.state);
			return at === undefined ? undefined : drawState(read.state, printable(at), theme);
		},
		drawEnd(data, theme) {
			const { how, text, spent } = (data ?? {}) as { how?: unknown; text?: unknown; spent?: unknown };
			const figures = spendLines(spent);
			if (typeof text !== "string")
				return figures.length === 0 ? undefined : table(theme.fg("dim", "The workflow took:"), figures, theme);
			const shown = printable(text);
			const head = theme.bold(how === "done" ? theme.fg("success", `✓ ${shown}`) : theme.fg("warning", `✗ ${shown}`));
			return table(head, figures, theme);
		},
		drawReminder(message, { outputPad }, theme) {
			const { count, of, about } = (message.details ?? {}) as { count?: unknown; of?: unknown; about?: unknown };
			const times = typeof count === "number" && typeof of === "number" ? ` (${count} of ${of})` : "";
			const what = about === "question" ? "The agent is asked to put its question to you" : "The workflow continues";
			return new Text(theme.fg("dim", `↻ ${what}${times}`), outputPad, 0);
		},
		drawCall,
		drawResult,
	};
}

/** One line per change. Ends have their own entry, and states of the reference package have no row. */
function drawState({ left, note, paused, asks }: StoredState, at: string, theme: Theme): Component | undefined {
	if (left) {
		const sign = { next: "→", loop: "↻", skip: "⇥", back: "↩" }[left.way];
		return noticeLine(theme.fg("accent", `${sign} ${at}`));
	}
	if (paused) return noticeLine(theme.fg("warning", printable(pauseLine(paused))));
	switch (note) {
		case "begun":
			return noticeLine(theme.fg("accent", `▶ ${at}`));
		case "resumed":
			return noticeLine(theme.fg("accent", `▶ ${at} continues`));
		case "reloaded":
			return noticeLine(theme.fg("accent", `⟳ ${at}: definition reloaded`));
		case undefined:
			return asks === undefined ? undefined : noticeLine(theme.fg("warning", `✋ ${answerLine()}.`));
	}
}

/** Rows below a heading. A row that is too long for the screen continues below its text. */
function table(head: string, rows: readonly string[], theme: Theme): Component {
	const heading = noticeLine(head);
	const paint = themed({ theme });
	return {
		render: (width) => [
			...heading.render(width),
			...rows.flatMap((row) => paintRows([dim(printable(row))], width - 2, paint).map((text) => ` ${text}`)),
		],
		invalidate: () => heading.invalidate(),
	};
}

function noticeLine(text: string): Component {
	return new Text(text, 1, 0);
}
