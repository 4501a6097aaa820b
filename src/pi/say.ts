// Shows a message to the user in every mode: a notification if there is a screen, else standard output.
import { writeSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable } from "../tui/printable.ts";
import { stepOf } from "./step.ts";

export type NoticeLevel = "info" | "warning" | "error";

/**
 * Shows `text` (may have several lines). In print mode it goes to standard output, an error to standard error; in JSON mode, where
 * standard output carries records, all of it goes to standard error. Control sequences are removed. The error of a
 * command that runs as a step is the step's reason to fail.
 */
export function say(
	ctx: Pick<ExtensionContext, "hasUI" | "mode" | "ui">,
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
		ctx.ui.notify(printable(text), tone);
		return;
	}
	// pi diverts what extensions write to `process.stdout`; the descriptor itself is what the user reads.
	writeSync(ctx.mode === "print" && tone !== "error" ? 1 : 2, `${printable(text)}\n`);
}
