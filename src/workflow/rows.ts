// What the transcript shows of workflows, registered before anything else of them is loaded. R1 nothing is drawn here: a row stays empty
// until the session's part is there, which draws it.
import type {
	AgentToolResult,
	ExtensionAPI,
	MessageRenderer,
	Theme,
	ToolRenderResultOptions,
} from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { lateRow } from "../pi/index.ts";

export interface Rows {
	/** A change of a run; nothing for a state that has no row of its own. */
	drawState(data: unknown, theme: Theme): Component | undefined;
	/** The end of a run. */
	drawEnd(data: unknown, theme: Theme): Component | undefined;
	readonly drawReminder: MessageRenderer;
	drawCall(args: unknown, theme: Theme): Component;
	drawResult(result: AgentToolResult<unknown>, options: ToolRenderResultOptions, theme: Theme): Component;
}

/** Tells pi how to draw entries, reminders and calls of workflows. `rows` gives what draws them, as soon as it is there. */
export function registerRows(pi: ExtensionAPI, rows: () => Rows | undefined): void {
	const soon = (draw: (rows: Rows) => Component | undefined): Component =>
		lateRow(() => {
			const there = rows();
			return there && { row: draw(there) };
		});

	pi.registerEntryRenderer("workflow:state", ({ data }, _options, theme) =>
		tells(data) ? soon((there) => there.drawState(data, theme)) : undefined,
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

/** The end of a run, or what it took. */
function isEnd(data: unknown): boolean {
	const { text, spent } = (data ?? {}) as { text?: unknown; spent?: unknown };
	return typeof text === "string" || Array.isArray(spent);
}

/** Whether a state has a row: ends have an entry of their own, steps of the model the row of their call, and states of the reference package none. */
function tells(data: unknown): boolean {
	const { active, pin, left, paused, note } = (data ?? {}) as Record<string, unknown>;
	if (active !== true || pin === undefined) return false;
	const { way, by } = (left ?? {}) as { way?: unknown; by?: unknown };
	if ((way === "next" || way === "loop") && by === undefined) return false;
	return (left ?? paused ?? note) !== undefined;
}
