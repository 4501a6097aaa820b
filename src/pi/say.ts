// Says something to the person, in every mode: a notification where there is a screen, standard output where there is none.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

export type Tone = "info" | "warning" | "error";

/** Shows `text` (may have several lines). Without a screen an error goes to standard error, everything else to standard output. */
export function say(ctx: Pick<ExtensionContext, "hasUI" | "ui">, text: string, tone: Tone = "info"): void {
	if (ctx.hasUI) ctx.ui.notify(text, tone);
	else (tone === "error" ? process.stderr : process.stdout).write(`${text}\n`);
}
