// Shows a message to the user in every mode: a notification if there is a screen, else standard output.
import { writeSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable } from "../../tui/text.ts";
import { stepOf } from "../session/step.ts";
import { lastingNotice, noticeStands } from "./lasting-notice.ts";

export type NoticeLevel = "info" | "warning" | "error";

/**
 * Shows `text` (possibly several lines). In print mode it goes to standard output, an error to standard error; in JSON mode everything goes
 * to standard error, because standard output carries records. Control sequences are removed. If a command runs as a step, its error becomes
 * the step's failure reason.
 */
export function say(
	ctx: Pick<ExtensionContext, "hasUI" | "mode" | "ui"> & Partial<Pick<ExtensionContext, "sessionManager">>,
	text: string,
	tone: NoticeLevel = "info",
): void {
	const step = stepOf(ctx);
	if (step !== undefined && tone === "error") {
		step.failed ??= printable(text);
		return;
	}
	if (step !== undefined && tone === "warning") step.warned = printable(text);
	if (ctx.hasUI) {
		ctx.ui.notify(ctx.mode === "tui" ? lasting(ctx.sessionManager, printable(text), tone) : printable(text), tone);
		return;
	}
	// pi redirects extensions' writes to `process.stdout`; the descriptor itself reaches the user.
	writeSync(ctx.mode === "print" && tone !== "error" ? 1 : 2, `${printable(text)}\n`);
}

/** A warning or an error is a row of its own; pi replaces any other notice by the next one. */
function lasting(session: ExtensionContext["sessionManager"] | undefined, text: string, tone: NoticeLevel): string {
	if (session === undefined) return text;
	if (tone === "info") return lastingNotice(session, text);
	noticeStands(session);
	return text;
}
