// What the transcript shows of a run: its start, its phases, pauses, its end. Entries, so that no model ever reads them.
import type { Theme } from "@earendil-works/pi-coding-agent";
import { type Component, Text } from "@earendil-works/pi-tui";
import { printable } from "../../pi/index.ts";
import { readState, type StoredState } from "../machine/index.ts";
import { pauseLine } from "../prompts/index.ts";
import type { Rows } from "../rows.ts";
import { spendLines } from "./summary.ts";
import { drawCall, drawResult } from "./tool-row.ts";

/** Draws the package's workflow rows. `placeOf` says in words where the run of a state is. */
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
			const figures = spendLines(spent).map((row) => theme.fg("dim", printable(row)));
			if (typeof text !== "string")
				return figures.length === 0 ? undefined : line([theme.fg("dim", "The workflow took:"), ...figures].join("\n"));
			const said = printable(text);
			const head = theme.bold(how === "done" ? theme.fg("success", `✓ ${said}`) : theme.fg("warning", `✗ ${said}`));
			return line([head, ...figures].join("\n"));
		},
		drawReminder(message, { outputPad }, theme) {
			const { count, of } = (message.details ?? {}) as { count?: unknown; of?: unknown };
			const times = typeof count === "number" && typeof of === "number" ? ` (${count} of ${of})` : "";
			return new Text(theme.fg("dim", `↻ The workflow continues${times}`), outputPad, 0);
		},
		drawCall,
		drawResult,
	};
}

/** One line per change; states that the reference package wrote, and ends (which have an entry of their own), show nothing. */
function drawState({ left, note, paused }: StoredState, at: string, theme: Theme): Component | undefined {
	if (left) {
		const sign = { next: "→", loop: "↻", skip: "⇥", back: "↩" }[left.way];
		return line(theme.fg("accent", `${sign} ${at}`));
	}
	if (paused) return line(theme.fg("warning", printable(pauseLine(paused))));
	switch (note) {
		case "begun":
			return line(theme.fg("accent", `▶ ${at}`));
		case "resumed":
			return line(theme.fg("accent", `▶ ${at} continues`));
		case "reloaded":
			return line(theme.fg("accent", `⟳ ${at}: definition reloaded`));
		case undefined:
			return undefined;
	}
}

function line(text: string): Component {
	return new Text(text, 1, 0);
}
