// Registers the transcript rows of workflows before the rest of workflows is loaded.
// This file draws nothing: a row stays empty until the session's renderers are loaded.

import type {
	AgentToolResult,
	ExtensionAPI,
	MessageRenderer,
	Theme,
	ToolRenderResultOptions,
} from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { lateRow } from "../pi/index.ts";
import { stateType } from "./phase-machine/index.ts";

export interface Rows {
	/** Draws a change of a run; `undefined` for a state without a row. */
	drawState(data: unknown, theme: Theme): Component | undefined;
	/** Draws the end of a run. */
	drawEnd(data: unknown, theme: Theme): Component | undefined;
	readonly drawReminder: MessageRenderer;
	drawCall(args: unknown, theme: Theme): Component;
	drawResult(result: AgentToolResult<unknown>, options: ToolRenderResultOptions, theme: Theme): Component;
}

/** Registers pi renderers for entries, reminders, and calls of workflows. `rows` returns the session's renderers once they are loaded. */
export function registerRows(pi: ExtensionAPI, rows: () => Rows | undefined): void {
	const soon = (draw: (rows: Rows) => Component | undefined): Component =>
		lateRow(() => {
			const there = rows();
			return there && { row: draw(there) };
		});

	pi.registerEntryRenderer(stateType, ({ data }, _options, theme) =>
		hasRow(data) ? soon((there) => there.drawState(data, theme)) : undefined,
	);
	for (const type of ["workflow:complete", "workflow:spent"])
		pi.registerEntryRenderer(type, ({ data }, _options, theme) =>
			isEnd(data) ? soon((there) => there.drawEnd(data, theme)) : undefined,
		);
	pi.registerMessageRenderer("workflow:reminder", (message, options, theme) =>
		soon((there) => there.drawReminder(message, options, theme)),
	);
	pi.registerToolRenderer((name, next) =>
		name === "workflow_step"
			? (next() ?? {
					renderCall: (args, theme) => soon((there) => there.drawCall(args, theme)),
					renderResult: (result, options, theme) => soon((there) => there.drawResult(result, options, theme)),
				})
			: next(),
	);
}

/** Whether an entry is the end of a run, or its figures. */
function isEnd(data: unknown): boolean {
	const { text, spent } = (data ?? {}) as { text?: unknown; spent?: unknown };
	return typeof text === "string" || Array.isArray(spent);
}

/** Whether a state has a row. Ends have their own entry, model steps the row of their call, states of the reference package none. */
function hasRow(data: unknown): boolean {
	const { active, pin, left, paused, note, asks } = (data ?? {}) as Record<string, unknown>;
	if (active !== true || pin === undefined) return false;
	const { way, by } = (left ?? {}) as { way?: unknown; by?: unknown };
	if ((way === "next" || way === "loop") && by === undefined) return false;
	return (left ?? paused ?? note ?? asks) !== undefined;
}
