// Shows long text as a page that covers the terminal. pi's own modules are loaded when a page opens, because this folder also serves the
// command line, which may run without pi.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable } from "../../tui/text.ts";
import { say } from "./say.ts";

const leave = "Esc closes";

/** Shows Markdown until the user closes it. Only for the terminal (`ctx.mode === "tui"`). */
export async function pageMarkdown(ctx: ExtensionContext, title: string, markdown: string): Promise<void> {
	const { showMarkdown } = await import("./markdown-page.ts");
	await showMarkdown(ctx, title, markdown, leave);
}

/** Shows lines without wrapping them, such as a drawing. Only for the terminal. */
export async function pageDrawing(ctx: ExtensionContext, title: string, lines: readonly string[]): Promise<void> {
	const { plain, showSheet } = await import("../../tui/index.ts");
	const drawing = lines.map((text) => [plain(text)]);
	await showSheet(ctx, { title, body: { kind: "lines", lines: drawing, long: "cut" }, leave });
}

/** Shows requested text: a page in the terminal, a message elsewhere. */
export async function pageText(ctx: ExtensionContext, title: string, text: string): Promise<void> {
	if (ctx.mode !== "tui") return say(ctx, text);
	const { showSheet, textBody } = await import("../../tui/index.ts");
	await showSheet(ctx, { title, body: textBody(printable(text)), leave });
}
