// Transcript rows of `workflow_step` calls: one line for a normal step; the whole answer for an error, a cancellation, or the end of a run.
import type { AgentToolResult, Theme } from "@earendil-works/pi-coding-agent";
import { type Component, Container, Text } from "@earendil-works/pi-tui";
import { truncate } from "@pi-chronicle/core/definition";
import { contentText, printable } from "../../pi/index.ts";

interface Row {
	readonly expanded: boolean;
}

/** `workflow_step next · summary`, or `workflow_step ask` and the question. */
export function drawCall(args: unknown, theme: Theme): Component {
	const { action, summary, question } = (args ?? {}) as { action?: unknown; summary?: unknown; question?: unknown };
	const shown = typeof action === "string" ? ` ${theme.fg("accent", printable(action))}` : "";
	const summaryText = typeof summary === "string" ? printable(summary).replace(/\s+/g, " ").trim() : "";
	const done = summaryText === "" ? "" : theme.fg("toolOutput", ` · ${truncate(summaryText, 200)}`);
	// The user answers the question, so all of it is shown.
	const asked = action === "ask" && typeof question === "string" ? `\n${printable(question).trim()}` : "";
	return new Text(theme.fg("toolTitle", theme.bold("workflow_step")) + shown + done + asked, 0, 0);
}

/** Draws an answer from its content and details alone: a resumed session has nothing else. */
export function drawResult({ content, details }: AgentToolResult<unknown>, { expanded }: Row, theme: Theme): Component {
	const text = printable(contentText(content));
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
