// A page of Markdown that covers the terminal. It imports pi's own modules at once, so it is imported when a page opens.
import { type ExtensionContext, getMarkdownTheme } from "@earendil-works/pi-coding-agent";
import { Markdown } from "@earendil-works/pi-tui";
import { showSheet } from "../../tui/index.ts";
import { printable } from "../../tui/text.ts";

/** Shows Markdown until the user closes it; `leave` says how. */
export async function showMarkdown(
	ctx: ExtensionContext,
	title: string,
	markdown: string,
	leave: string,
): Promise<void> {
	const text = new Markdown(printable(markdown), 1, 0, getMarkdownTheme());
	const draw = (width: number) => {
		text.invalidate();
		return text.render(width).map((row) => [{ text: row, tone: "colored" } as const]);
	};
	await showSheet(ctx, { title, body: { kind: "drawn", draw }, leave });
}
