// What the transcript shows of a run: its start, its phases, pauses, its end. Entries, so that no model ever reads them.
import type { CustomEntry, ExtensionAPI, Theme } from "@earendil-works/pi-coding-agent";
import { type Component, Text } from "@earendil-works/pi-tui";
import { printable } from "../../pi/index.ts";
import { stepTool } from "../limits/index.ts";
import { readState, type StoredState } from "../machine/index.ts";
import { pauseLine } from "../prompts/index.ts";
import { completeType, stateType } from "./entries.ts";
import { spendLines } from "./summary.ts";
import { reminderType } from "./told.ts";
import { drawCall, drawResult } from "./tool-row.ts";

/**
 * Tells pi how to draw the package's workflow entries, and rows of `workflow_step` in sessions where it is not registered. `placeOf` says
 * in words where the run of a state is.
 */
export function registerNotices(pi: ExtensionAPI, placeOf: (state: StoredState) => string | undefined): void {
	pi.registerEntryRenderer(stateType, (entry: CustomEntry, { expanded }, theme) => {
		const read = readState(entry.data);
		if (read.kind !== "state" || !read.state.active) return undefined;
		const at = placeOf(read.state);
		return at === undefined ? undefined : drawState(read.state, printable(at), expanded, theme);
	});
	pi.registerEntryRenderer(completeType, (entry: CustomEntry, _options, theme) => {
		const { how, text, spent } = (entry.data ?? {}) as { how?: unknown; text?: unknown; spent?: unknown };
		if (typeof text !== "string") return undefined;
		const said = printable(text);
		const head = theme.bold(how === "done" ? theme.fg("success", `✓ ${said}`) : theme.fg("warning", `✗ ${said}`));
		return line([head, ...spendLines(spent).map((row) => theme.fg("dim", printable(row)))].join("\n"));
	});
	pi.registerMessageRenderer(reminderType, (message, { outputPad }, theme) => {
		const { count, of } = (message.details ?? {}) as { count?: unknown; of?: unknown };
		const times = typeof count === "number" && typeof of === "number" ? ` (${count} of ${of})` : "";
		return new Text(theme.fg("dim", `↻ The workflow goes on${times}`), outputPad, 0);
	});
	pi.registerToolRenderer((name, next) =>
		name === stepTool ? (next() ?? { renderCall: drawCall, renderResult: drawResult }) : next(),
	);
}

/** One line per change; states that the reference package wrote, and ends (which have an entry of their own), show nothing. */
function drawState(
	{ left, note, paused }: StoredState,
	at: string,
	expanded: boolean,
	theme: Theme,
): Component | undefined {
	if (left) {
		const sign = { next: "→", loop: "↻", skip: "⇥", back: "↩" }[left.way];
		const summary = expanded && left.summary ? `\n${theme.fg("dim", printable(left.summary))}` : "";
		return line(theme.fg("accent", `${sign} ${at}`) + summary);
	}
	if (paused) return line(theme.fg("warning", printable(pauseLine(paused))));
	switch (note) {
		case "begun":
			return line(theme.fg("accent", `▶ ${at}`));
		case "resumed":
			return line(theme.fg("accent", `▶ ${at} goes on`));
		case "reloaded":
			return line(theme.fg("accent", `⟳ ${at}: the definition was read again`));
		case undefined:
			return undefined;
	}
}

function line(text: string): Component {
	return new Text(text, 1, 0);
}
