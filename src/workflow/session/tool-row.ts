// How calls of `workflow_step` look: one line where things went as they should, everything where they did not or a run ended.
import type { AgentToolResult, Theme } from "@earendil-works/pi-coding-agent";
import { type Component, Container, Text } from "@earendil-works/pi-tui";
import { printable } from "../../pi/index.ts";

interface Row {
	readonly expanded: boolean;
}

/** `workflow_step next · what was done`. */
export function drawCall(args: unknown, theme: Theme): Component {
	const { action, summary } = (args ?? {}) as { action?: unknown; summary?: unknown };
	const shown = typeof action === "string" ? ` ${theme.fg("accent", printable(action))}` : "";
	const said = typeof summary === "string" ? printable(summary).replace(/\s+/g, " ").trim() : "";
	const done = said === "" ? "" : theme.fg("dim", ` · ${said.length > 200 ? `${said.slice(0, 199)}…` : said}`);
	return new Text(theme.fg("toolTitle", theme.bold("workflow_step")) + shown + done, 0, 0);
}

/** The answer, by what its details say: rows of a resumed session have nothing else. */
export function drawResult({ content, details }: AgentToolResult<unknown>, { expanded }: Row, theme: Theme): Component {
	const text = printable(content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
	const { resultType } = (details ?? {}) as { resultType?: unknown };
	const whole = expanded || resultType === "error" || resultType === "cancel" || resultType === "complete";
	const shown = whole ? text : text.slice(0, `${text}\n`.indexOf("\n"));
	if (shown === "") return new Container();
	const color =
		resultType === "error"
			? "error"
			: resultType === "cancel"
				? "warning"
				: resultType === "complete"
					? "success"
					: "toolOutput";
	return new Text(theme.fg(color, shown), 0, 0);
}
